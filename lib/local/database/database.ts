import { listen } from '../listen.ts';
import { chooseAnother, openFolder } from './folder.ts';
import { repairedDynalite } from './repairs.ts';
import { createTables, OtherTableError } from './tables.ts';

export interface Database {
  endpoint: string;
  /**
   * Creates the plant store's tables, unless they exist. Rejects with one line for people if the
   * folder has other ones.
   */
  createTables(): Promise<void>;
  /** Aborts the requests in progress and closes the files. Only tests call it. */
  stop(): Promise<void>;
}

/**
 * Starts a local DynamoDB. Its data is in a folder, or in memory. A killed process loses no
 * acknowledged write. Rejects with one line for people if the folder or the port cannot be used.
 */
export async function startDatabase({
  folder,
  port,
  host,
}: {
  folder?: string | undefined;
  /** 0 for any free port. */
  port: number;
  host?: string | undefined;
}): Promise<Database> {
  const path = folder === undefined ? undefined : await openFolder(folder);
  const server = repairedDynalite(path);
  const endpoint = await listen(server, port, host, '--dynamodb-port');
  return {
    endpoint,
    async createTables() {
      try {
        await createTables(endpoint);
      } catch (cause) {
        throw cause instanceof OtherTableError
          ? new Error(
              `${folder} has ${cause.message}. Remove it to start with an empty one, or ${chooseAnother}`,
            )
          : cause;
      }
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
