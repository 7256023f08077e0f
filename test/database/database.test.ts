import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, jest, test } from '@jest/globals';
import { ClassicLevel } from 'classic-level';
import { createTables } from '../../lib/database/create-tables.ts';
import { localClient } from '../../lib/database/database-client.ts';
import { startDatabase } from '../../lib/database/embedded-database.ts';
import type { Template } from '../../lib/emulator/template/template.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { openDatabase } from '../support/database/open-database.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/http/http-client.ts';

const AttributeDefinitions = [{ AttributeName: 'key', AttributeType: 'S' as const }];
const template = {
  of: () =>
    new Map([
      ['Table', { AttributeDefinitions, KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }] }],
    ]),
} as unknown as Template;
const client = (endpoint: string) => localClient(endpoint, { maxAttempts: 1 });
const put = (endpoint: string, key: string) =>
  client(endpoint).send(new PutItemCommand({ TableName: 'Table', Item: { key: { S: key } } }));
const has = async (endpoint: string, key: string) =>
  (
    await client(endpoint).send(
      new GetItemCommand({ TableName: 'Table', Key: { key: { S: key } } }),
    )
  ).Item !== undefined;

/** Returns the folder of a closed database with one item. */
async function writtenFolder(): Promise<string> {
  const data = temporaryFolder();
  const database = await startDatabase({ data, port: 0 });
  await createTables(template, database.endpoint);
  await put(database.endpoint, 'kept');
  await database.stop();
  return data;
}

/** The database in a process of its own, which can be killed. */
async function startElsewhere(data: string) {
  const program = join(import.meta.dirname, 'database-process.ts');
  const child = fork(program, [data], { execPath: process.execPath, execArgv: [] });
  const [endpoint] = await eventually('the endpoint of a database', once(child, 'message'));
  const kill = () => {
    child.kill('SIGKILL');
    return eventually('the end of a database', once(child, 'exit'));
  };
  return { endpoint: String(endpoint), kill };
}

test('a database in memory keeps what is put', async () => {
  const database = await openDatabase();
  await createTables(template, database.endpoint);
  await put(database.endpoint, 'a');
  expect(await has(database.endpoint, 'a')).toBe(true);
});

test('existing tables keep their items', async () => {
  const database = await openDatabase({ data: await writtenFolder() });
  await createTables(template, database.endpoint);
  expect(await has(database.endpoint, 'kept')).toBe(true);
});

test.each([
  ['memory', () => undefined],
  ['a folder', temporaryFolder],
])('a database in %s closes the iterator of each query', async (_, folder) => {
  const level = new ClassicLevel(temporaryFolder());
  // The class that all iterators of both engines extend.
  let iterator = Object.getPrototypeOf(level.keys());
  while (!Object.hasOwn(iterator, 'close')) iterator = Object.getPrototypeOf(iterator);
  await level.close();
  const data = folder();
  const database = await openDatabase({ ...(data && { data }) });
  await createTables(template, database.endpoint);
  for (const key of ['a', 'b', 'c']) await put(database.endpoint, key);
  const close = jest.spyOn(iterator, 'close');
  for (const Limit of [1, 10])
    await client(database.endpoint).send(new ScanCommand({ TableName: 'Table', Limit }));
  const closed = new Set(close.mock.contexts).size;
  close.mockRestore();
  expect(closed).toBeGreaterThanOrEqual(2);
});

test('a web page is refused', async () => {
  const database = await openDatabase();
  for (const method of ['OPTIONS', 'POST', 'GET']) {
    const { status, headers } = await send(database.endpoint, {
      method,
      path: '/',
      headers: ['Origin', 'https://example.com'],
    });
    expect({ status, allowed: headers['access-control-allow-origin'] }).toEqual({
      status: 403,
      allowed: undefined,
    });
  }
});

test('a folder that cannot be written is refused with advice', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  for (const data of [file, join(file, 'below')])
    await expect(startDatabase({ data, port: 0 })).rejects.toThrow(
      /cannot be written \(E\w+\)\. Choose another folder with --data, or keep nothing with --memory\.$/,
    );
});

describe('a data folder', () => {
  test('belongs to one process until that process ends or is killed', async () => {
    const data = await writtenFolder();
    const { endpoint, kill } = await startElsewhere(data);
    await put(endpoint, 'acknowledged');
    await expect(startDatabase({ data, port: 0 })).rejects.toThrow(
      `${data} is in use by another process`,
    );
    await kill();
    const database = await openDatabase({ data });
    expect(await has(database.endpoint, 'kept')).toBe(true);
    expect(await has(database.endpoint, 'acknowledged')).toBe(true);
  });

  test('is not opened twice by one process', async () => {
    const data = temporaryFolder();
    await openDatabase({ data });
    await expect(startDatabase({ data, port: 0 })).rejects.toThrow('is in use by another process');
  });

  /**
   * Returns the files of the folder, without the log of LevelDB and without the lock, which is a
   * database itself.
   */
  const contents = (data: string): [string, string][] =>
    readdirSync(data, { recursive: true, withFileTypes: true })
      .filter(
        (entry) =>
          entry.isFile() &&
          !/^(LOG|LOG\.old|LOCK)$/.test(entry.name) &&
          entry.parentPath !== join(data, 'plant-store'),
      )
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, 'latin1')]);
  const spoil = (folder: string, name: RegExp, text = 'garbage') => {
    const found = readdirSync(folder).find((entry) => name.test(entry));
    if (found === undefined) throw new Error(`${folder} has no ${name}.`);
    writeFileSync(join(folder, found), text);
  };
  const foreign = /was not made by this program/;
  const damaged = /is damaged/;
  type Folders = Record<'data' | 'own' | 'engine', string>;
  const damages: [what: string, damage: (folders: Folders) => unknown, message: RegExp][] = [
    ['of another program', ({ data, own }) => renameSync(own, join(data, 'thesis')), foreign],
    ['of an earlier layout', ({ own }) => rmSync(own, { recursive: true }), foreign],
    ['whose engine lost its index', ({ engine }) => rmSync(join(engine, 'CURRENT')), damaged],
    ['whose engine is gone', ({ engine }) => rmSync(engine, { recursive: true }), damaged],
    ['whose index is garbage', ({ engine }) => spoil(engine, /^CURRENT$/), damaged],
    ['whose manifest is cut', ({ engine }) => spoil(engine, /^MANIFEST/, 'x'), damaged],
    ['whose own files are garbage', ({ own }) => spoil(own, /^CURRENT$/), damaged],
  ];
  test.each(damages)('%s is refused in one line and left as it is', async (_, damage, message) => {
    const data = await writtenFolder();
    damage({ data, own: join(data, 'plant-store'), engine: join(data, 'dynalite') });
    const before = contents(data);
    const error = await startDatabase({ data, port: 0 }).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
    expect((error as Error).message).toMatch(
      /^\S+ [^\n]+ Remove it to start afresh, or choose another folder\.$/,
    );
    expect(contents(data)).toEqual(before);
  });

  test.each([
    ['another version', 'format', '2', /was written by another version \(format 2, this is 1\)/],
    ['an engine that it cannot read', 'item-Table~x', 'no JSON', /is damaged/],
  ])('of %s', async (_, key, value, message) => {
    const data = await writtenFolder();
    const level = new ClassicLevel(join(data, key === 'format' ? 'plant-store' : 'dynalite'));
    await level.put(key, value);
    await level.close();
    await expect(startDatabase({ data, port: 0 })).rejects.toThrow(message);
  });
});
