import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import {
  type AttributeDefinition,
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  ResourceInUseException,
  type TableDescription,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { ClassicLevel } from 'classic-level';
import dynalite from 'dynalite';
import db from 'dynalite/db/index.js';
import putItem from 'dynalite/validations/putItem.js';
import {
  type TableKey,
  type TableName,
  tableIds,
  tableKeys,
} from '../../../functions/shared/table-schema.ts';
import { listen } from '../listen.ts';
import { localClient } from './database-client.ts';

export interface Database {
  endpoint: string;
  /** Aborts the requests in progress and closes the files. Only tests call it. */
  stop(): Promise<void>;
}

closeIterators();
returnItemsOfFailedPuts();

/**
 * Starts dynalite, a local DynamoDB, with the plant store's tables. Its data is in a folder, or in
 * memory. A killed process loses no acknowledged write. Rejects with one line for people if the
 * folder or the port cannot be used.
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
  const server = dynalite({ path, createTableMs: 0 });
  const [handle] = server.listeners('request') as [RequestListener];
  server.removeAllListeners('request');
  const guarded: RequestListener = (request, response) => {
    // Any page in the developer's browser could read and write.
    if (request.headers.origin !== undefined) {
      response.writeHead(403).end();
      return;
    }
    handle(request, response);
    rejectUnreadable(request, response);
    // If a client disconnects before the end of a request, dynalite's listener throws, which would
    // stop the process.
    request.removeAllListeners('error').on('error', () => {});
  };
  server.on('request', guarded);
  // After a pause of this process, the functions would use a connection that Node closes at that
  // moment, and no write could tell whether it arrived.
  server.keepAliveTimeout = 0;
  const endpoint = await listen(server, port, host, '--dynamodb-port');

  async function stop(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
  try {
    await createTables(endpoint);
  } catch (cause) {
    await stop();
    throw cause instanceof OtherTableError
      ? new Error(
          `${folder} has ${cause.message}. Remove it to start with an empty one, or ${another}`,
        )
      : cause;
  }
  return { endpoint, stop };
}

/**
 * Returns 400, as DynamoDB does, for a body that dynalite cannot read, like `null`. Its listener of
 * the request's end throws, which would stop the process.
 */
function rejectUnreadable(request: IncomingMessage, response: ServerResponse): void {
  const handle = request.listeners('end').at(-1) as () => void;
  request.removeListener('end', handle).on('end', () => {
    try {
      handle();
    } catch (error) {
      console.error(`The database rejected a malformed request: ${(error as Error).message}`);
      response.writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0' });
      response.end('{"__type":"com.amazon.coral.service#SerializationException"}');
    }
  });
}

/**
 * Makes LevelDB's iterators close. dynalite calls `iterator.return()`, which they lack. The memory
 * of each query would never be freed. The database in memory has the same prototype.
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

/**
 * Makes a put return the item that made its condition fail, if the put asks for it. dynalite drops
 * that parameter of every request.
 */
function returnItemsOfFailedPuts(): void {
  putItem.types.ReturnValuesOnConditionCheckFailure = { type: 'String', enum: ['ALL_OLD', 'NONE'] };
  const { checkConditional } = db;
  db.checkConditional = (request, storedItem) => {
    const error = checkConditional(request, storedItem);
    if (error && request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD') {
      error.body.Item = storedItem;
    }
    return error;
  };
}

const another = 'choose another folder with --data, or keep data in memory only with --memory.';

/** Another process uses the data folder. The message is one line for people. */
export class FolderInUseError extends Error {
  override name = 'FolderInUseError';

  /** `user` names the other process. */
  constructor(folder: string, user = 'another "npm start" or "npm run sam"') {
    super(`${folder} is in use by ${user}. Stop that one, or ${another}`);
  }
}

/**
 * Creates the data folder if it is missing, and checks dynalite's files in it. Returns their path.
 * Rejects with one line for people, and removes nothing.
 */
async function openFolder(folder: string): Promise<string> {
  const path = join(folder, 'dynalite');
  try {
    // The folder holds digests of access tokens and everybody's plants.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (readdirSync(folder).length === 0) {
      writeFileSync(join(folder, '.gitignore'), '*\n');
    }
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`${folder} cannot be written (${code}): ${another}`, { cause });
  }
  const level = new ClassicLevel<string, { TableStatus: string }>(path, { valueEncoding: 'json' });
  try {
    await level.open();
    await removeUnfinishedTables(level);
  } catch (cause) {
    throw explainFileError(folder, cause) ?? cause;
  } finally {
    await level.close();
  }
  return path;
}

/**
 * Removes tables that a process was creating when it was killed. dynalite would neither finish nor
 * create them again. They are empty, because a table accepts items only once it is active.
 */
async function removeUnfinishedTables(
  level: ClassicLevel<string, { TableStatus: string }>,
): Promise<void> {
  const tables = level.iterator({ gt: 'table~', lt: 'table\x7f' });
  for (const [key, { TableStatus }] of await tables.all()) {
    if (TableStatus !== 'ACTIVE') {
      await level.del(key);
    }
  }
}

/**
 * Returns an error of the database's files as one line for people. Returns undefined for any other
 * error. On a full disk, dynalite throws, which stops the process. That is right: LevelDB may lose
 * the write after a failed one.
 */
export function explainFileError(folder: string, error: unknown): Error | undefined {
  if (!(error instanceof Error)) {
    return undefined;
  }
  // An error on opening has LevelDB's own as its cause.
  const cause = (error.cause ?? error) as NodeJS.ErrnoException;
  const { code, message } = cause;
  if (!code?.startsWith('LEVEL_')) {
    return undefined;
  }
  switch (code) {
    case 'LEVEL_LOCKED':
      return new FolderInUseError(folder);
    case 'LEVEL_IO_ERROR':
      return new Error(
        `${folder} cannot be read and written: ${message}. Fix that, or ${another}`,
        { cause },
      );
    default:
      return new Error(
        `${folder} is damaged: ${message}. Remove it to start with an empty one, or ${another}`,
        { cause },
      );
  }
}

/** A table exists with other keys or indexes, which a change of functions/shared caused. */
class OtherTableError extends Error {}

/** Creates the plant store's tables, unless they exist. */
export async function createTables(endpoint: string): Promise<void> {
  const client = localClient(endpoint);
  for (const name of Object.keys(tableIds) as TableName[]) {
    await createTable(client, tableIds[name], tableKeys[name]);
  }
  client.destroy();
}

/**
 * Creates a table, unless it exists. Resolves once it is active. Rejects with an OtherTableError if
 * the existing one has other keys or indexes.
 */
export async function createTable(
  client: DynamoDBClient,
  TableName: string,
  { partition, sort }: TableKey,
): Promise<void> {
  const AttributeDefinitions: AttributeDefinition[] = [
    { AttributeName: partition, AttributeType: 'S' },
  ];
  const KeySchema: KeySchemaElement[] = [{ AttributeName: partition, KeyType: 'HASH' }];
  if (sort !== undefined) {
    AttributeDefinitions.push({ AttributeName: sort, AttributeType: 'N' });
    KeySchema.push({ AttributeName: sort, KeyType: 'RANGE' });
  }
  const keys = { AttributeDefinitions, KeySchema };
  try {
    await client.send(
      new CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...keys }),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) {
      throw error;
    }
    const { Table = {} } = await client.send(new DescribeTableCommand({ TableName }));
    if (formatKeys(Table) !== formatKeys(keys)) {
      throw new OtherTableError(`a table ${TableName} with other keys or indexes`);
    }
  }
  await waitUntilTableExists(
    { client, maxWaitTime: 10, minDelay: 0.01, maxDelay: 0.1 },
    { TableName },
  );
}

/** Returns a table's keys and indexes as text. The order of attributes does not matter. */
function formatKeys({
  AttributeDefinitions = [],
  KeySchema,
  GlobalSecondaryIndexes,
  LocalSecondaryIndexes,
}: TableDescription): string {
  const attributes = AttributeDefinitions.map((one) => `${one.AttributeName} ${one.AttributeType}`);
  return JSON.stringify([
    attributes.sort(),
    KeySchema,
    GlobalSecondaryIndexes,
    LocalSecondaryIndexes,
  ]);
}
