import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { localClient } from '../../../lib/database/database-client.ts';
import { createTable } from './create-table.ts';
import { engine } from './engines.ts';

/** Starts an engine, in memory, and creates a table of access tokens in it. */
export async function startTokensTable(
  name: string = tableIds.accessTokens,
  start = engine().start,
) {
  const { endpoint, stop } = await start();
  const client = localClient(endpoint);
  await createTable(client, 'accessTokens', name);
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
