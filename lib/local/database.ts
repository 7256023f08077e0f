import { EventEmitter } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import dynalite from 'dynalite';
import { listen } from '../emulator/listen.ts';
import type { Template } from '../emulator/template/template.ts';
import {
  type DatabaseAnswer,
  databaseFront,
  type Engine,
  type FunctionCall,
} from './database-front.ts';

export interface Database {
  endpoint: string;
  /** Lets each function of a template do only what its role allows, from now on. */
  enforce(template: Template): void;
  /** Finishes the requests under way, then closes the files. */
  stop(): Promise<void>;
}

/** The layout of a data folder. It changes when this program, or the engine's major version, can no longer read what an earlier one wrote. */
const format = '1';

/**
 * Starts DynamoDB's stand-in (dynalite) on a port of its own, 0 for any free one; in memory, or with its data in a folder that then belongs to
 * this process. What it has acknowledged survives the end of the process, however sudden. Rejects, with a message for people, where the port is
 * taken, and where the folder is another process's, another version's or damaged; such a folder is left as it is.
 */
export async function startDatabase({
  data,
  port,
  host = '127.0.0.1',
  onCall,
}: {
  data?: string;
  port: number;
  host?: string;
  /** Gets every command of a function. */
  onCall?: (call: FunctionCall) => void;
}): Promise<Database> {
  const lock = data === undefined ? undefined : await openFolder(data);
  const server: Server = dynalite({
    createTableMs: 0,
    ...(data !== undefined && { path: join(data, 'dynalite') }),
  });
  const front = databaseFront(engineOf(server), onCall);
  server.on('request', front.listener);
  try {
    const endpoint = `http://${host}:${await listen(server, port, host)}`;
    return { endpoint, enforce: front.enforce, stop };
  } catch (error) {
    await lock?.close();
    throw error;
  }

  async function stop(): Promise<void> {
    const closed = new Promise<void>((resolve, reject) =>
      server.close((error) => (error ? reject(error) : resolve())),
    );
    server.closeIdleConnections();
    await closed;
    await lock?.close();
  }
}

/** Takes a data folder, or makes one, and returns what holds it: a LevelDB whose lock the operating system drops with the process. */
async function openFolder(data: string): Promise<ClassicLevel> {
  const refuse = (why: string, cause?: unknown) =>
    new Error(`${data} ${why}. Remove it to start afresh, or choose another folder.`, { cause });
  const [own, engine] = [join(data, 'plant-store'), join(data, 'dynalite')];
  mkdirSync(data, { recursive: true });
  if (readdirSync(data).length > 0 && !existsSync(own))
    throw refuse('was not made by this program');
  // It holds digests of access tokens and everybody's plants.
  chmodSync(data, 0o700);

  const lock = new ClassicLevel(own);
  try {
    await lock.open();
    const found = await lock.get('format');
    if (found !== undefined && found !== format)
      throw refuse(`was written by another version (format ${found}, this is ${format})`);
    await readThrough(engine, { createIfMissing: found === undefined });
    // Last: what has a format is whole.
    await lock.put('format', format);
    return lock;
  } catch (error) {
    await lock.close();
    const { code, cause } = error as { code?: string; cause?: NodeJS.ErrnoException };
    if (cause?.code === 'LEVEL_LOCKED')
      throw new Error(
        `${data} is in use by another process. Stop that process, or choose another folder with --data, or keep nothing with --memory.`,
        { cause },
      );
    throw code?.startsWith('LEVEL_') ? refuse('is damaged', error) : error;
  }
}

/** Reads all of the engine's files once: what it stumbles on later would end the process. */
async function readThrough(folder: string, options: { createIfMissing: boolean }): Promise<void> {
  const level = new ClassicLevel<string, unknown>(folder, { valueEncoding: 'json' });
  try {
    await level.open(options);
    for await (const _ of level.iterator()) {
      // Reading is all there is to do.
    }
  } finally {
    await level.close();
  }
}

/**
 * Takes the request handler of a dynalite server off it, and hands it whole requests only: dynalite
 * throws where nothing can catch it if a client goes away in the middle of a request.
 */
function engineOf(server: Server): Engine {
  const [handle] = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  return ({ body, ...request }) =>
    new Promise((resolve) => {
      const headers: DatabaseAnswer['headers'] = {};
      const response = {
        statusCode: 200,
        setHeader: (name: string, value: string) => {
          headers[name] = value;
        },
        end: (text = '') => resolve({ status: response.statusCode, headers, body: text }),
      };
      const whole = Object.assign(new EventEmitter(), request);
      handle?.(whole as IncomingMessage, response as unknown as ServerResponse);
      whole.emit('data', body);
      whole.emit('end');
    });
}
