import { type Database, startDatabase } from '../../../lib/database/embedded-database.ts';
import { finallyDo } from '../cleanup.ts';

type Options = Partial<Parameters<typeof startDatabase>[0]>;

/** Starts a database on a free port, in memory unless told, until the test file ends. */
export async function openDatabase(options: Options = {}): Promise<Database> {
  const database = await startDatabase({ port: 0, ...options });
  finallyDo(() => database.stop());
  return database;
}
