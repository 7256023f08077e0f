import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type TableName, tableIds, tableKeys } from '../../../functions/shared/table-schema.ts';
import { createTable } from '../../../lib/offline/database.ts';
import { localDocumentClient } from '../../../lib/offline/database-client.ts';
import { finallyDo } from '../cleanup.ts';
import { engine } from './engines.ts';

/** An engine that has tables, and a client of it. */
export interface OpenTables {
  endpoint: string;
  database: DynamoDBDocumentClient;
}

/** Starts an engine in memory with tables of the stack, until the test file ends. */
export async function openTables(
  names: Partial<Record<TableName, string>> = tableIds,
  { start } = engine(),
): Promise<OpenTables> {
  const { endpoint, stop } = await start();
  finallyDo(stop);
  const database = localDocumentClient(endpoint);
  finallyDo(() => database.destroy());
  for (const [name, called] of Object.entries(names)) {
    await createTable(database, called, tableKeys[name as TableName]);
  }
  return { endpoint, database };
}
