import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { accessTokenKey } from '../../functions/contract/tables.ts';
import { startDatabase } from '../../lib/local/database.ts';

/** A table of access tokens in an engine of its own, in memory. */
export async function startTokensTable(name = 'AccessTokens') {
  const { endpoint, stop } = await startDatabase({ port: 0 });
  const client = new DynamoDBClient({ endpoint, region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } });
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
