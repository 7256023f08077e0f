import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import dynalite from 'dynalite';
import { stopper } from '../http/connections.ts';
import { listen } from '../http/listen.ts';
import { type DatabaseFront, databaseFront, type FunctionCall } from './database-front.ts';
import {
  answerFailures,
  answerOnceFinished,
  closeIterators,
  dropUrlWarning,
  engineOf,
  finishTables,
  refuseWritesOnceFailed,
} from './dynalite-repairs.ts';

export interface Database extends Pick<DatabaseFront, 'enforce' | 'exclusively'> {
  endpoint: string;
  /** Answers the requests that have arrived, within ten seconds, then closes the files. */
  stop(): Promise<void>;
}

answerFailures();
closeIterators();
dropUrlWarning();

/** Changes when this program or its engine can no longer read the folders of earlier versions. */
const format = '1';

/**
 * Starts dynalite, an engine that stands in for DynamoDB, on a port; 0 is any free one. Its data is
 * in memory, or in a folder that no other process can use meanwhile. An acknowledged write survives
 * a crash of the process. Rejects with a message for people if the port is taken, or if the folder
 * is in use, damaged or of another version. Such a folder stays as it is.
 */
export async function startDatabase({
  data,
  port,
  host = '127.0.0.1',
  onCall,
  onFailure = () => {},
  onRefusal,
}: {
  data?: string;
  port: number;
  host?: string;
  /** Gets every command of a function. */
  onCall?: (call: FunctionCall) => void;
  /** Gets a message for people if a write fails, because the disk is full or broken. */
  onFailure?: (message: string) => void;
  /** Gets a message for people if a function calls a service that is not here. */
  onRefusal?: (message: string) => void;
}): Promise<Database> {
  const lock = data === undefined ? undefined : await openFolder(data);
  const path = data && join(data, 'dynalite');
  const server: Server = dynalite({ path, createTableMs: 0, deleteTableMs: 0 });
  const engine = refuseWritesOnceFailed(answerOnceFinished(engineOf(server)), onFailure);
  const front = databaseFront(engine, onCall, onRefusal);
  server.on('request', front.listener);
  const stopServer = stopper(server);
  try {
    const endpoint = `http://${host}:${await listen(server, port, host)}`;
    return { ...front, endpoint, stop: () => stopServer().then(() => lock?.close()) };
  } catch (error) {
    await lock?.close();
    throw error;
  }
}

/**
 * Takes a data folder, or makes one. Returns a LevelDB that holds it, because the operating system
 * drops the lock of a LevelDB when the process ends.
 */
async function openFolder(data: string): Promise<ClassicLevel> {
  const problem = (what: string, cause?: unknown) => new Error(`${data} ${what}`, { cause });
  const afresh = 'Remove it to start afresh, or choose another folder.';
  const [own, engine] = [join(data, 'plant-store'), join(data, 'dynalite')];
  let isForeign = false;
  try {
    mkdirSync(data, { recursive: true });
    isForeign = readdirSync(data).length > 0 && !existsSync(own);
    // It holds digests of access tokens and everybody's plants.
    if (!isForeign) chmodSync(data, 0o700);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw problem(
      `cannot be written (${code}). ` +
        'Choose another folder with --data, or keep nothing with --memory.',
      cause,
    );
  }
  if (isForeign) throw problem(`was not made by this program. ${afresh}`);

  const lock = new ClassicLevel(own);
  try {
    await lock.open();
    const found = await lock.get('format');
    if (found !== undefined && found !== format)
      throw problem(
        `was written by another version (format ${found}, this is ${format}). ${afresh}`,
      );
    await checkIntegrity(engine, found === undefined);
    // Written last, so that a folder with a format is complete.
    await lock.put('format', format);
    return lock;
  } catch (error) {
    await lock.close();
    const { code, cause } = error as { code?: string; cause?: NodeJS.ErrnoException };
    if (cause?.code === 'LEVEL_LOCKED')
      throw problem(
        'is in use by another process. Stop that process, ' +
          'or choose another folder with --data, or keep nothing with --memory.',
        cause,
      );
    if (cause?.message.includes('No space left'))
      throw problem('is on a disk that is full. Make room, then start again.', cause);
    throw code?.startsWith('LEVEL_') ? problem(`is damaged. ${afresh}`, error) : error;
  }
}

/**
 * Reads all files of the engine, because a damaged one would end the process later. Then finishes
 * the tables that an earlier process was making or removing.
 */
async function checkIntegrity(folder: string, createIfMissing: boolean): Promise<void> {
  const level = new ClassicLevel<string, unknown>(folder, { valueEncoding: 'json' });
  try {
    await level.open({ createIfMissing });
    for await (const _ of level.iterator()) {
      // Reading an entry checks it.
    }
    await finishTables(level);
  } finally {
    await level.close();
  }
}
