import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { plantKey } from '../../functions/contract/table-keys.ts';
import { localDocumentClient } from '../../lib/local/database-client.ts';
import { startTokensTable } from '../access-tokens/tokens-table.ts';

/** Both tables in an engine of their own, in memory. */
export async function startTables() {
  const { endpoint, stop } = await startTokensTable();
  const database = localDocumentClient(endpoint);
  const { partition, sort } = plantKey;
  await database.send(
    new CreateTableCommand({
      TableName: 'Plants',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: partition, AttributeType: 'S' },
        { AttributeName: sort, AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: partition, KeyType: 'HASH' },
        { AttributeName: sort, KeyType: 'RANGE' },
      ],
    }),
  );
  return {
    endpoint,
    database,
    stop() {
      database.destroy();
      return stop();
    },
  };
}
