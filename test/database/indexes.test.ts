import {
  CreateTableCommand,
  type GlobalSecondaryIndex as Index,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { createTables } from '../../lib/database/create-tables.ts';
import { localClient } from '../../lib/database/database-client.ts';
import { type Database, startDatabase } from '../../lib/database/embedded-database.ts';
import type { Table } from '../../lib/emulator/template/properties.ts';
import type { Template } from '../../lib/emulator/template/template.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { openDatabase } from '../support/database/open-database.ts';

const keySchema = (name: string) => [{ AttributeName: name, KeyType: 'HASH' as const }];
const byColour: Index = {
  IndexName: 'ByColour',
  KeySchema: keySchema('colour'),
  Projection: { ProjectionType: 'ALL' },
};
const table = (...GlobalSecondaryIndexes: Index[]): Table => ({
  AttributeDefinitions: ['key', ...(GlobalSecondaryIndexes.length > 0 ? ['colour'] : [])].map(
    (AttributeName) => ({ AttributeName, AttributeType: 'S' }),
  ),
  KeySchema: keySchema('key'),
  GlobalSecondaryIndexes,
});
const templateWith = (plants: Table) =>
  ({ of: () => new Map([['Plants', plants]]) }) as unknown as Template;

const row = (key: number, more: object = {}) => ({
  key: { S: `${key}` },
  colour: { S: key % 2 ? 'red' : 'blue' },
  ...more,
});
const rows = Array.from({ length: 60 }, (_, key) => row(key));

function clientOf(database: Database) {
  const client = localClient(database.endpoint);
  const put = async (TableName: string, items: ReturnType<typeof row>[]) => {
    for (const Item of items) await client.send(new PutItemCommand({ TableName, Item }));
  };
  const keys = async (items: Promise<{ Items?: Record<string, { S?: string }>[] }>) =>
    ((await items).Items ?? []).map(({ key }) => Number(key?.S)).sort((a, b) => a - b);
  return {
    client,
    put,
    all: () => keys(client.send(new ScanCommand({ TableName: 'Plants' })) as never),
    red: () =>
      keys(
        client.send(
          new QueryCommand({
            TableName: 'Plants',
            IndexName: 'ByColour',
            KeyConditionExpression: 'colour = :red',
            ExpressionAttributeValues: { ':red': { S: 'red' } },
          }),
        ) as never,
      ),
    tables: async () => (await client.send(new ListTablesCommand())).TableNames,
  };
}
const every = rows.map((_, key) => key);
const odd = every.filter((key) => key % 2);

test('a data folder whose table lacks an index has it after a restart, rows included', async () => {
  const data = temporaryFolder();
  const first = await startDatabase({ data, port: 0 });
  await createTables(templateWith(table()), first.endpoint);
  await clientOf(first).put('Plants', rows);
  await first.stop();

  const second = await startDatabase({ data, port: 0 });
  finallyDo(() => second.stop());
  const { red, all, tables } = clientOf(second);
  await createTables(templateWith(table(byColour)), second.endpoint);
  expect([await red(), await all(), await tables()]).toEqual([odd, every, ['Plants']]);

  await createTables(templateWith(table()), second.endpoint);
  expect([await all(), await tables()]).toEqual([every, ['Plants']]);
  await expect(red()).rejects.toThrow('The table does not have the specified index: ByColour');
});

describe('a rebuild that was cut short ends at the next start, with every row', () => {
  const half = rows.slice(0, 30);

  test.each([
    ['while it copied the rows', table(), rows, half],
    ['before it made the table', undefined, [], rows],
    ['before the table had its rows', table(byColour), half, rows],
    ['before it removed the copy', table(byColour), rows, rows],
    ['and the template has changed since', table(), half, rows],
  ])('%s', async (_, existing, stored, copied) => {
    const database = await openDatabase();
    const { client, put, red, all, tables } = clientOf(database);
    const create = async (TableName: string, { GlobalSecondaryIndexes = [], ...more }: Table) => {
      const indexes = GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes };
      const BillingMode = 'PAY_PER_REQUEST';
      await client.send(new CreateTableCommand({ TableName, ...more, ...indexes, BillingMode }));
    };
    if (existing) await create('Plants', existing);
    await create('Plants.rebuild', table(byColour));
    await put('Plants', [...stored]);
    await put('Plants.rebuild', [...copied]);

    for (const _ of ['this start', 'the next']) {
      await createTables(templateWith(table(byColour)), database.endpoint);
      expect([await red(), await all(), await tables()]).toEqual([odd, every, ['Plants']]);
    }
  });
});

test('rows without an index key stay; a row that does not fit stops the rebuild', async () => {
  const database = await openDatabase();
  const { client, put, red, all } = clientOf(database);
  const start = () => createTables(templateWith(table(byColour)), database.endpoint);
  await createTables(templateWith(table()), database.endpoint);
  await put('Plants', [...rows, row(100, { colour: { S: '' } })]);
  const others = [{ key: { S: '101' } }, { key: { S: '102' }, colour: { N: '1' } }];
  for (const Item of others as never[])
    await client.send(new PutItemCommand({ TableName: 'Plants', Item }));
  await expect(start()).rejects.toThrow(
    /^Plants stays as it was, because a row does not fit its new index: .*Type mismatch/,
  );
  expect(await all()).toEqual([...every, 100, 101, 102]);
  await put('Plants', [row(102)]);
  await start();
  expect([await all(), await red()]).toEqual([[...every, 100, 101, 102], odd]);
});

test('calls wait while a table is rebuilt, and none gets lost', async () => {
  const database = await openDatabase();
  const { put, all } = clientOf(database);
  await createTables(templateWith(table()), database.endpoint);
  const writing = put('Plants', rows);
  await database.exclusively(() => createTables(templateWith(table(byColour)), database.endpoint));
  await writing;
  expect(await all()).toEqual(every);
});

test('a table that the engine cannot have is an error that says what to do', async () => {
  const database = await startDatabase({ port: 0 });
  finallyDo(() => database.stop());
  const KeySchema = ['colour', 'key'].flatMap(keySchema);
  const plants = table({ ...byColour, KeySchema });
  await expect(createTables(templateWith(plants), database.endpoint)).rejects.toThrow(
    /^Plants: the emulator does not support this table: .+\. Leave it out, or try it in/,
  );
});
