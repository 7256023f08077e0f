import { localDocumentClient } from '../../../lib/database/database-client.ts';
import { createPlantsTable } from '../../support/database/plants-table.ts';
import { startTokensTable } from '../../support/database/tokens-table.ts';

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
