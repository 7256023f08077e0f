import { mkdirSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { ClassicLevel } from 'classic-level';
import dynalite from 'dynalite';
import {
  type TableKey,
  type TableName,
  tableIds,
  tableKeys,
} from '../../functions/shared/table-schema.ts';
import { localClient } from './database-client.ts';
import { caught, listen } from './listen.ts';

export interface Database {
  endpoint: string;
  /** Ends the requests in progress and closes the files. Only tests call it. */
  stop(): Promise<void>;
}

closeIterators();

/**
 * Starts dynalite, which stands in for DynamoDB, with the tables of the plant store. Its data is in
 * a folder, or in memory. A process that is killed loses no acknowledged write. Rejects with one
 * line for people if the folder or the port cannot be used.
 */
export async function startDatabase({
  folder,
  port,
  host,
}: {
  folder?: string | undefined;
  /** 0 is any free one. */
  port: number;
  host?: string | undefined;
}): Promise<Database> {
  const path = folder === undefined ? undefined : await openFolder(folder);
  const server = dynalite({ path, createTableMs: 0 });
  const [answer] = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const guarded: RequestListener = (request, response) => {
    // Any page in the developer's browser could read and write.
    if (request.headers.origin !== undefined) {
      response.writeHead(403).end();
      return;
    }
    answer?.(request, response);
    // If a client goes away in mid-request, dynalite's own listener throws, which ends the process.
    request.removeAllListeners('error').on('error', () => response.destroy());
  };
  server.on('request', caught(guarded));
  const endpoint = await listen(server, port, host, '--dynamodb-port');
  await createTables(endpoint);

  async function stop(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
  return { endpoint, stop };
}

/**
 * Makes LevelDB's iterators close. dynalite calls `iterator.return()`, which they lack, so that the
 * memory of each query would never be freed. The prototype is that of the database in memory, too.
 */
function closeIterators(): void {
  const prototype = Object.getPrototypeOf(ClassicLevel.prototype);
  for (const name of ['keys', 'values']) {
    const method = prototype[name];
    prototype[name] = function (...options: unknown[]): unknown {
      const iterator = method.apply(this, options);
      return Object.assign(iterator, { return: () => iterator.close() });
    };
  }
}

const another = 'choose another folder with --data, or keep nothing with --memory.';

/**
 * Makes the folder of the data if it is missing. Returns the path for dynalite's files, which it
 * has checked. Rejects with one line for people, and removes nothing.
 */
async function openFolder(folder: string): Promise<string> {
  const path = join(folder, 'dynalite');
  try {
    // It holds digests of access tokens and everybody's plants.
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`${folder} cannot be written (${code}): ${another}`, { cause });
  }
  const level = new ClassicLevel<string, { TableStatus: string }>(path, { valueEncoding: 'json' });
  try {
    await level.open();
    await forgetUnfinishedTables(level);
  } catch (cause) {
    throw new Error(whyUnusable(folder, cause as LevelError), { cause });
  } finally {
    await level.close();
  }
  return path;
}

/**
 * Forgets the tables that a process was making when it was killed. dynalite would neither finish
 * them nor make them anew. They are empty, because a table takes items only once it is made.
 */
async function forgetUnfinishedTables(
  level: ClassicLevel<string, { TableStatus: string }>,
): Promise<void> {
  const tables = level.iterator({ gt: 'table~', lt: 'table\x7f' });
  for (const [key, { TableStatus }] of await tables.all()) {
    if (TableStatus !== 'ACTIVE') {
      await level.del(key);
    }
  }
}

type LevelError = Error & { code?: string; cause?: LevelError };

function whyUnusable(folder: string, error: LevelError): string {
  // An error on opening has LevelDB's own as its cause.
  const { code, message } = error.cause ?? error;
  switch (code) {
    case 'LEVEL_LOCKED':
      return `${folder} is in use: an "npm start" with it runs already. End that one, or ${another}`;
    case 'LEVEL_IO_ERROR':
      return `${folder} cannot be read and written: ${message}. Make that possible, or ${another}`;
    default:
      return `${folder} is damaged: ${message}. Remove it to start afresh, or ${another}`;
  }
}

/** Makes the tables of the plant store, unless they are there. */
export async function createTables(endpoint: string): Promise<void> {
  const client = localClient(endpoint);
  for (const name of Object.keys(tableIds) as TableName[]) {
    await createTable(client, tableIds[name], tableKeys[name]);
  }
  client.destroy();
}

/** Makes a table with a key, unless it is there. Resolves once it can be used. */
export async function createTable(
  client: DynamoDBClient,
  TableName: string,
  { partition, sort }: TableKey,
): Promise<void> {
  const table: CreateTableCommandInput = {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: partition, AttributeType: 'S' }],
    KeySchema: [{ AttributeName: partition, KeyType: 'HASH' }],
  };
  if (sort !== undefined) {
    table.AttributeDefinitions?.push({ AttributeName: sort, AttributeType: 'N' });
    table.KeySchema?.push({ AttributeName: sort, KeyType: 'RANGE' });
  }
  try {
    await client.send(new CreateTableCommand(table));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) {
      throw error;
    }
  }
  await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 0.01 }, { TableName });
}
