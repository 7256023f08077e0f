import { fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  ListTablesCommand,
} from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { ClassicLevel } from 'classic-level';
import { openDataFolder } from '../../../lib/offline/database/data-folder.ts';
import { localClient, localDocumentClient } from '../../../lib/offline/database/database-client.ts';
import { startDatabase } from '../../../lib/offline/database/embedded-database.ts';
import { finallyDo, temporaryFolder } from '../../support/cleanup.ts';
import { createTablesOf, openDatabase, tableOf } from '../../support/database/open-database.ts';
import { eventually } from '../../support/eventually.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const TableName = 'Table';
const tables = { [TableName]: tableOf('key') };
function clientOf(endpoint: string) {
  const client = localDocumentClient(endpoint, { maxAttempts: 1 });
  finallyDo(() => client.destroy());
  return {
    put: (key: string) => client.send(new PutCommand({ TableName, Item: { key } })),
    scan: (Limit: number) => client.send(new ScanCommand({ TableName, Limit })),
  };
}

/** Returns the folder of a closed database with one item. */
async function writtenFolder(): Promise<string> {
  const data = temporaryFolder();
  const database = await startDatabase({ folder: await openDataFolder(data), port: 0 });
  await createTablesOf(tables, database);
  await clientOf(database.endpoint).put('kept');
  await database.stop();
  return data;
}

/** The database in a process of its own, which can be killed. */
async function startElsewhere(data: string) {
  const program = join(import.meta.dirname, 'database-process.ts');
  const child = fork(program, [data], { execPath: process.execPath, execArgv: [] });
  finallyDo(() => child.kill('SIGKILL'));
  const [endpoint] = await eventually('the endpoint of a database', once(child, 'message'));
  const kill = () => {
    child.kill('SIGKILL');
    return eventually('the end of a database', once(child, 'exit'));
  };
  return { endpoint: String(endpoint), kill };
}

test.each([
  ['memory', () => undefined],
  ['a folder', temporaryFolder],
])('a database in %s closes the iterator of each query', async (_, folder) => {
  const level = new ClassicLevel(temporaryFolder());
  // The class that all iterators of both engines extend.
  let iterator = Object.getPrototypeOf(level.keys());
  while (!Object.hasOwn(iterator, 'close')) {
    iterator = Object.getPrototypeOf(iterator);
  }
  await level.close();
  const data = folder();
  const database = await openDatabase({ ...(data && { data }) });
  await createTablesOf(tables, database);
  const { put, scan } = clientOf(database.endpoint);
  for (const key of ['a', 'b', 'c']) {
    await put(key);
  }
  const close = jest.spyOn(iterator, 'close');
  for (const limit of [1, 10]) {
    await scan(limit);
  }
  const closed = new Set(close.mock.contexts).size;
  close.mockRestore();
  expect(closed).toBeGreaterThanOrEqual(2);
});

test('on a slow disk, a table is made or gone when the database answers', async () => {
  const prototype: { [name in 'put' | 'del']: (...args: unknown[]) => Promise<void> } =
    ClassicLevel.prototype;
  for (const name of ['put', 'del'] as const) {
    const write = prototype[name];
    jest.spyOn(prototype, name).mockImplementation(async function (this: unknown, ...args) {
      await setTimeout(30);
      await write.apply(this, args);
    });
  }
  const { endpoint } = await openDatabase({ data: temporaryFolder() });
  const client = localClient(endpoint, { maxAttempts: 1 });
  finallyDo(() => client.destroy());
  const table = { TableName, ...tables[TableName], BillingMode: 'PAY_PER_REQUEST' as const };
  await client.send(new CreateTableCommand(table));
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  expect(Table?.TableStatus).toBe('ACTIVE');
  await client.send(new DeleteTableCommand({ TableName }));
  expect((await client.send(new ListTablesCommand())).TableNames).toEqual([]);
});

/** What classic-level calls for each of its methods, and what fails if the disk does. */
const onDisk = ClassicLevel.prototype as unknown as Record<string, () => Promise<void>>;

type Client = ReturnType<typeof localDocumentClient>;
test.each([
  {
    of: 'put',
    write: (client: Client) => client.send(new PutCommand({ TableName, Item: { key: 'new' } })),
  },
  {
    of: 'del',
    write: (client: Client) => client.send(new DeleteCommand({ TableName, Key: { key: 'old' } })),
  },
  {
    of: 'batch',
    write: (client: Client) => client.send(new DeleteTableCommand({ TableName })),
  },
])('a $of that fails is answered 500, as is every later write', async ({ of, write }) => {
  const told: string[] = [];
  const database = await openDatabase({
    data: temporaryFolder(),
    onFailure: (message) => told.push(message),
  });
  await createTablesOf(tables, database);
  const { put } = clientOf(database.endpoint);
  await put('old');
  const client = localDocumentClient(database.endpoint, { maxAttempts: 1 });
  finallyDo(() => client.destroy());

  jest.spyOn(onDisk, `_${of}`).mockRejectedValueOnce(new Error('No space left on device'));
  const failed = { $metadata: { httpStatusCode: 500 }, message: 'No space left on device' };
  await expect(eventually('an answer', write(client))).rejects.toMatchObject(failed);
  await expect(put('later')).rejects.toMatchObject(failed);
  expect(told).toEqual([
    expect.stringMatching(/^The database takes no more writes: No space left/),
  ]);
});

test('a folder that cannot be written is refused with advice', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  for (const data of [file, join(file, 'below')]) {
    await expect(openDataFolder(data)).rejects.toThrow(
      /cannot be written \(E\w+\)\. Choose another folder with --data, or keep nothing with --memory\.$/,
    );
  }
});

describe('a data folder', () => {
  test('belongs to one process until that process ends or is killed', async () => {
    const data = await writtenFolder();
    const { endpoint, kill } = await startElsewhere(data);
    await clientOf(endpoint).put('acknowledged');
    await expect(openDataFolder(data)).rejects.toThrow(`${data} is in use by another process`);
    await kill();
    const database = await openDatabase({ data });
    await createTablesOf(tables, database);
    const { Items } = await clientOf(database.endpoint).scan(10);
    expect(new Set(Items)).toEqual(new Set([{ key: 'kept' }, { key: 'acknowledged' }]));
  });

  /** Returns the files of the engine and their contents. Those of LevelDB's log come and go. */
  const contents = (data: string) =>
    globSync('{dynalite,thesis}/*', { cwd: data, exclude: ['**/LO[CG]*'] }).map((file) => [
      file,
      readFileSync(join(data, file), 'latin1'),
    ]);
  const spoil = (folder: string, name: string, text: string) => {
    const [found = ''] = globSync(join(folder, name));
    writeFileSync(found, text);
  };
  const afresh = 'Remove it to start afresh, or choose another folder.';
  // It may hold somebody's own files.
  const foreign = 'was not made by this program. Choose another folder.';
  const damaged = `is damaged. ${afresh}`;
  async function change(folder: string, key: string, value: string): Promise<void> {
    const level = new ClassicLevel(folder);
    await level.put(key, value);
    await level.close();
  }
  type Folders = Record<'data' | 'own' | 'engine', string>;
  const damages: [what: string, damage: (folders: Folders) => unknown, message: string][] = [
    ['of another program', ({ data, own }) => renameSync(own, join(data, 'thesis')), foreign],
    ['whose engine lost its index', ({ engine }) => rmSync(join(engine, 'CURRENT')), damaged],
    ['whose engine is gone', ({ engine }) => rmSync(engine, { recursive: true }), damaged],
    ['whose index is garbage', ({ engine }) => spoil(engine, 'CURRENT', 'garbage'), damaged],
    ['whose manifest is cut', ({ engine }) => spoil(engine, 'MANIFEST*', 'x'), damaged],
    ['whose own files are garbage', ({ own }) => spoil(own, 'CURRENT', 'garbage'), damaged],
    [
      'of another version',
      ({ own }) => change(own, 'format', '2'),
      `was written by another version (format 2, this is 1). ${afresh}`,
    ],
  ];
  test.each(damages)('%s is refused in one line and left as it is', async (_, damage, message) => {
    const data = await writtenFolder();
    await damage({ data, own: join(data, 'plant-store'), engine: join(data, 'dynalite') });
    const before = contents(data);
    await expect(openDataFolder(data)).rejects.toHaveProperty('message', `${data} ${message}`);
    expect(contents(data)).toEqual(before);
  });
  test('whose engine has an unreadable item is refused', async () => {
    const data = await writtenFolder();
    await change(join(data, 'dynalite'), 'item-Table~x', 'no JSON');
    await expect(openDataFolder(data)).rejects.toThrow(`${data} ${damaged}`);
  });
});
