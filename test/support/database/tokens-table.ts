import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { accessTokenKey, tableIds } from '../../../functions/shared/table-schema.ts';
import { localClient } from '../../../lib/database/database-client.ts';
import { engine } from './engines.ts';

/** Starts an engine, in memory, and creates a table of access tokens in it. */
export async function startTokensTable(
  name: string = tableIds.accessTokens,
  start = engine().start,
) {
  const { endpoint, stop } = await start();
  const client = localClient(endpoint);
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: accessTokenKey.partition, AttributeType: 'S' }],
      KeySchema: [{ AttributeName: accessTokenKey.partition, KeyType: 'HASH' }],
    }),
  );
  return {
    endpoint,
    name,
    database: DynamoDBDocumentClient.from(client),
    stop() {
      client.destroy();
      return stop();
    },
  };
}
