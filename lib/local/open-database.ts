import { resolve } from 'node:path';
import { type Database, startDatabase } from './database/database.ts';
import { explainFileError, FolderInUseError } from './database/folder.ts';
import type { LocalOptions } from './options.ts';
import { findRunning } from './running.ts';

/**
 * Starts the database that the options choose, on an address of this machine. Rejects with one line
 * for people. Later, an error of its files stops the process with one line.
 */
export async function openDatabase(
  { data, memory, dynamodbPort: port }: LocalOptions,
  host: string,
): Promise<Database> {
  process.once('uncaughtException', (error) => {
    const fileError = explainFileError(data, error);
    console.error(fileError ? `error: ${fileError.message}` : error);
    process.exit(1);
  });
  try {
    return await startDatabase({ folder: memory ? undefined : data, port, host });
  } catch (error) {
    const others = error instanceof FolderInUseError ? await findRunning() : [];
    const running = others.find((other) => other.data === resolve(data));
    throw running
      ? new FolderInUseError(
          data,
          `process ${running.processId}, the "npm start" at ${running.baseUrl}`,
        )
      : error;
  }
}
