import { localDocumentClient } from '../../lib/local/database/database-client.ts';
import { startTokensTable } from '../access-tokens/tokens-table.ts';
import { createPlantsTable } from '../store/plants-table.ts';

/** Both tables in an engine of their own, in memory. */
export async function startTables() {
  const { endpoint, stop } = await startTokensTable();
  const database = localDocumentClient(endpoint);
  await createPlantsTable(database);
  return {
    endpoint,
    database,
    stop() {
      database.destroy();
      return stop();
    },
  };
}
