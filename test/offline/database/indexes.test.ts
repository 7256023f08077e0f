import { setImmediate } from 'node:timers/promises';
import { type GlobalSecondaryIndex as Index, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { type NativeAttributeValue, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { openDataFolder } from '../../../lib/offline/database/data-folder.ts';
import { localDocumentClient } from '../../../lib/offline/database/database-client.ts';
import { databaseFront } from '../../../lib/offline/database/database-front.ts';
import { type Database, startDatabase } from '../../../lib/offline/database/embedded-database.ts';
import { finallyDo, temporaryFolder } from '../../support/cleanup.ts';
import { createTablesOf, openDatabase, tableOf } from '../../support/database/open-database.ts';
import { writePlants } from '../../support/database/plants-table.ts';
import { send } from '../../support/http/http-client.ts';
import { serve } from '../../support/http/servers.ts';

const plain = tableOf('key');
const withIndex = (KeySchema: Index['KeySchema']) => ({
  AttributeDefinitions: ['key', 'colour'].flatMap((name) => tableOf(name).AttributeDefinitions),
  KeySchema: plain.KeySchema,
  GlobalSecondaryIndexes: [
    { IndexName: 'ByColour', KeySchema, Projection: { ProjectionType: 'ALL' as const } },
  ],
});
const indexed = withIndex(tableOf('colour').KeySchema);

const row = (key: number) => ({ key: `${key}`, colour: key % 2 ? 'red' : 'blue' });
const rows = Array.from({ length: 60 }, (_, key) => row(key));
const every = rows.map((_, key) => key);
const odd = every.filter((key) => key % 2);

function clientOf(database: Database) {
  const client = localDocumentClient(database.endpoint);
  finallyDo(() => client.destroy());
  const keysOf = (Items: Record<string, NativeAttributeValue>[] = []) =>
    Items.map(({ key }) => Number(key)).sort((a, b) => a - b);
  const all = async () =>
    keysOf((await client.send(new ScanCommand({ TableName: 'Plants' }))).Items);
  const query = new QueryCommand({
    TableName: 'Plants',
    IndexName: 'ByColour',
    KeyConditionExpression: 'colour = :red',
    ExpressionAttributeValues: { ':red': 'red' },
  });
  const red = async () => keysOf((await client.send(query)).Items);
  const tables = async () => (await client.send(new ListTablesCommand())).TableNames;
  return {
    put: (items: object[], table = 'Plants') =>
      writePlants(
        client,
        items.map((Item) => ({ PutRequest: { Item } })),
        table,
      ),
    all,
    red,
    tables,
    /** Returns all keys, those of the index, and the tables. */
    whole: async () => [await all(), await red(), await tables()],
  };
}
const whole = [every, odd, ['Plants']];

test('a data folder whose table lacks an index has it after a restart, rows included', async () => {
  const data = temporaryFolder();
  const first = await startDatabase({ folder: await openDataFolder(data), port: 0 });
  await createTablesOf({ Plants: plain }, first);
  await clientOf(first).put(rows);
  await first.stop();

  const second = await openDatabase({ data });
  const client = clientOf(second);
  await createTablesOf({ Plants: indexed }, second);
  expect(await client.whole()).toEqual(whole);

  await createTablesOf({ Plants: plain }, second);
  expect(await client.all()).toEqual(every);
  await expect(client.red()).rejects.toThrow(
    'The table does not have the specified index: ByColour',
  );
});

describe('a rebuild that was cut short ends at the next start, with every row', () => {
  const half = rows.slice(0, 30);

  test.each([
    ['while it copied the rows', plain, rows, half],
    ['before it made the table', undefined, [], rows],
    ['before the table had its rows', indexed, half, rows],
    ['before it removed the copy', indexed, rows, rows],
    ['and the template has changed since', plain, half, rows],
  ])('%s', async (_, existing, stored, copied) => {
    const database = await openDatabase();
    const { put, whole: found } = clientOf(database);
    await createTablesOf({ ...(existing && { Plants: existing }) }, database);
    await createTablesOf({ 'Plants.rebuild': indexed }, database);
    await put(stored);
    await put(copied, 'Plants.rebuild');
    for (const _ of ['this start', 'the next']) {
      await createTablesOf({ Plants: indexed }, database);
      expect(await found()).toEqual(whole);
    }
  });
});

test('rows without an index key stay; a row that does not fit stops the rebuild', async () => {
  const database = await openDatabase();
  const { put, all, red, tables } = clientOf(database);
  await createTablesOf({ Plants: plain }, database);
  await put([...rows, { key: '100', colour: '' }, { key: '101' }, { key: '102', colour: 1 }]);
  const start = () => createTablesOf({ Plants: indexed }, database);
  await expect(start()).rejects.toThrow(
    /^Plants stays as it was, because a row does not fit its new index: .*Type mismatch.*\. Change /,
  );
  expect([await all(), await tables()]).toEqual([[...every, 100, 101, 102], ['Plants']]);
  await put([row(102)]);
  await start();
  expect([await all(), await red()]).toEqual([[...every, 100, 101, 102], odd]);
});

test('calls wait while a table is rebuilt, and none gets lost', async () => {
  const database = await openDatabase();
  const { put, all } = clientOf(database);
  await createTablesOf({ Plants: plain }, database);
  const writing = (async () => {
    for (const one of rows) {
      await put([one]);
    }
  })();
  await database.exclusively(() => createTablesOf({ Plants: indexed }, database));
  await writing;
  expect(await all()).toEqual(every);
});

test('work on the tables waits for the calls in progress', async () => {
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const order: string[] = [];
  const front = databaseFront(async () => {
    arrived.resolve();
    await answer.promise;
    order.push('call');
    return { status: 200, headers: {}, body: '' };
  });
  const call = send(await serve(front.listener), { method: 'POST', path: '/' });
  await arrived.promise;
  const work = front.exclusively(async () => {
    order.push('work');
  });
  await setImmediate();
  answer.resolve();
  await Promise.all([call, work]);
  expect(order).toEqual(['call', 'work']);
});

test('a table that the engine cannot have is an error that says what to do', async () => {
  const KeySchema = ['colour', 'key'].flatMap((name) => tableOf(name).KeySchema);
  const impossible = createTablesOf({ Plants: withIndex(KeySchema) }, await openDatabase());
  await expect(impossible).rejects.toThrow(
    /^Plants: the emulator does not support this table: .+\. Leave it out, or try it in/,
  );
});
