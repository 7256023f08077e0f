import { type Database, startDatabase } from './database/database.ts';
import { explainFileError } from './database/folder.ts';
import { failRequest } from './database/repairs.ts';
import type { LocalOptions } from './options.ts';

/**
 * Starts the database that the options choose, on an address of this machine. Rejects with one line
 * for people. Later, an error of its files stops the process with one line.
 */
export function openDatabase(
  { data, memory, dynamodbPort: port }: LocalOptions,
  host: string,
): Promise<Database> {
  process.on('uncaughtException', (error) => {
    const fileError = explainFileError(data, error);
    if (fileError === undefined && failRequest(error)) {
      return;
    }
    console.error(fileError ? `error: ${fileError.message}` : error);
    process.exit(1);
  });
  return startDatabase({ folder: memory ? undefined : data, port, host });
}
