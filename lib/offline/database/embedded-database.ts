import type { Server } from 'node:http';
import dynalite from 'dynalite';
import { stopper } from '../http/connections.ts';
import { inUrl, listen } from '../http/listen.ts';
import type { DataFolder } from './data-folder.ts';
import { type DatabaseFront, databaseFront, type FunctionCall } from './database-front.ts';
import {
  answerFailures,
  answerOnceFinished,
  closeIterators,
  engineOf,
  refuseWritesOnceFailed,
} from './dynalite-repairs.ts';

export interface Database extends Pick<DatabaseFront, 'enforce' | 'exclusively'> {
  endpoint: string;
  /** Answers the requests that have arrived, within ten seconds, then closes the files. */
  stop(): Promise<void>;
}

answerFailures();
closeIterators();

/**
 * Starts dynalite, an engine that stands in for DynamoDB, on a port; 0 is any free one. Its data is
 * in memory, or in a folder, which it closes when it ends. An acknowledged write survives a crash
 * of the process. Rejects with a message for people if the port is taken.
 */
export async function startDatabase({
  folder,
  port,
  host = '127.0.0.1',
  onCall,
  onFailure = () => {},
  onRefusal,
}: {
  folder?: DataFolder;
  port: number;
  host?: string;
  /** Gets every command of a function. */
  onCall?: (call: FunctionCall) => void;
  /** Gets a message for people if a write fails, because the disk is full or broken. */
  onFailure?: (message: string) => void;
  /** Gets a message for people if a function calls a service that is not here. */
  onRefusal?: (message: string) => void;
}): Promise<Database> {
  const server: Server = dynalite({ path: folder?.engine, createTableMs: 0, deleteTableMs: 0 });
  const engine = refuseWritesOnceFailed(answerOnceFinished(engineOf(server)), onFailure);
  const front = databaseFront(engine, onCall, onRefusal);
  server.on('request', front.listener);
  const stopServer = stopper(server);
  async function stop(): Promise<void> {
    await stopServer();
    await folder?.close();
  }
  try {
    const actualPort = await listen(server, port, host);
    return { ...front, endpoint: `http://${inUrl(host)}:${actualPort}`, stop };
  } catch (error) {
    await folder?.close();
    throw error;
  }
}
