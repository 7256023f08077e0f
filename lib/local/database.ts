import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ClassicLevel } from 'classic-level';
import dynalite from 'dynalite';
import { listen } from '../emulator/listen.ts';

export interface Database {
  endpoint: string;
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
}: {
  data?: string;
  port: number;
  host?: string;
}): Promise<Database> {
  const lock = data === undefined ? undefined : await openFolder(data);
  const server: Server = dynalite({
    createTableMs: 0,
    ...(data !== undefined && { path: join(data, 'dynalite') }),
  });
  shield(server);
  try {
    const endpoint = `http://${host}:${await listen(server, port, host)}`;
    return { endpoint, stop };
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
        `${data} is in use by another process: stop that one, or choose another folder.`,
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
 * dynalite throws where nobody can catch it when a client goes away in the middle of a request: it is given whole requests only. And it lets any page
 * in the developer's browser read and write: those are refused.
 */
function shield(server: Server): void {
  const [handle] = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', async (request, response) => {
    if (request.headers.origin !== undefined)
      return response.writeHead(403).end('The database does not answer web pages.');
    try {
      const body = Buffer.concat(await request.toArray());
      const { method, url, headers } = request;
      return handle?.(
        Object.assign(Readable.from([body]), {
          method,
          url,
          headers,
        }) as unknown as IncomingMessage,
        response,
      );
    } catch {
      return response.destroy();
    }
  });
}
