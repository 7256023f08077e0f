import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Unavailable } from '../../functions/dynamodb/writes.ts';
import { type PlantStore, plantStore } from '../../functions/plants/store.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { localDocumentClient } from '../../lib/database/database-client.ts';
import type { Database } from '../../lib/database/embedded-database.ts';
import { createTable } from '../support/database/create-table.ts';
import { engines } from '../support/database/engines.ts';
import { writePlants } from '../support/database/plants-table.ts';
import { answered, fieldNames, stored, whole } from '../support/plant.ts';

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;
const plant = (id: bigint, name = 'Aloe') => ({ id, ...answered({ name }) });

describe.each(engines())('on $name', ({ start }) => {
  let engine: Database;
  let database: DynamoDBDocumentClient;
  let plants: PlantStore;

  beforeAll(async () => {
    engine = await start();
    database = localDocumentClient(engine.endpoint);
    await createTable(database, 'plants');
    plants = plantStore(database, tableIds.plants);
  });
  afterAll(async () => {
    database.destroy();
    await engine?.stop();
  });

  test.each(fieldNames)('the field %s is stored, compared and listed', async (field) => {
    const owner = `field-${field}`;
    const given = { id: 7n, ...whole };
    const other = { ...given, [field]: answered()[field] };
    expect(await plants.create(owner, given)).toBe('created');
    expect(await plants.create(owner, given)).toBe('unchanged');
    expect(await plants.create(owner, other)).toBe('conflict');
    expect(await plants.list(owner, 10, undefined)).toEqual([given]);
  });

  test('a plant is deleted once, and its id is free again', async () => {
    await plants.create('deleting', plant(7n));
    expect(await plants.remove('deleting', 7n)).toBe(true);
    expect(await plants.remove('deleting', 7n)).toBe(false);
    expect(await plants.list('deleting', 10, undefined)).toEqual([]);
    expect(await plants.create('deleting', plant(7n, 'Ficus'))).toBe('created');
  });

  test('of many creates of one id with different content exactly one wins', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => plants.create('race', plant(1n, `Plant ${i}`))),
    );
    const winner = outcomes.indexOf('created');
    expect(outcomes.filter((_, i) => i !== winner)).toEqual(Array(19).fill('conflict'));
    expect(await plants.list('race', 10, undefined)).toEqual([plant(1n, `Plant ${winner}`)]);
  });

  test('of many creates with the same content one creates and none conflicts', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => plants.create('same', plant(1n))),
    );
    expect(outcomes.sort()).toEqual(['created', ...Array(19).fill('unchanged')]);
  });

  test('creates and deletes of one id at once lose no plant that was not deleted', async () => {
    const ifAvailable = (error: unknown) => {
      // A create gives up if the plant in its way was gone each time that it looked.
      if (!(error instanceof Unavailable)) throw error;
    };
    const creates = Array.from({ length: 20 }, () =>
      plants.create('churn', plant(1n)).catch(ifAvailable),
    );
    const deletes = Array.from({ length: 20 }, () => plants.remove('churn', 1n));
    const created = (await Promise.all(creates)).filter((outcome) => outcome === 'created').length;
    const deleted = (await Promise.all(deletes)).filter(Boolean).length;
    const left = await plants.list('churn', 10, undefined);
    // More deletes than creates: DynamoDB Local may hand one old item to several of them.
    expect(deleted).toBeGreaterThanOrEqual(created - left.length);
  });

  test('ids keep every digit, and their order is that of the numbers', async () => {
    const ids = [
      largest,
      0n,
      -1n,
      smallest,
      10n,
      9n,
      2n ** 53n,
      2n ** 53n + 1n,
      -10n,
      largest - 1n,
      smallest + 1n,
    ];
    for (const id of ids) expect(await plants.create('ids', plant(id, `${id}`))).toBe('created');
    const sorted = ids.toSorted((a, b) => (a < b ? -1 : 1));
    expect(await plants.list('ids', 20, undefined)).toEqual(sorted.map((id) => plant(id, `${id}`)));
    expect(await plants.list('ids', 20, smallest)).toEqual(
      sorted.slice(1).map((id) => plant(id, `${id}`)),
    );
    expect(await plants.list('ids', 20, largest)).toEqual([]);
    expect(await plants.list('ids', 2, 9n)).toEqual([
      plant(10n, '10'),
      plant(2n ** 53n, `${2n ** 53n}`),
    ]);
    for (const id of ids) expect(await plants.remove('ids', id)).toBe(true);
  });

  test('owners with the same plant id do not affect each other', async () => {
    expect(await plants.create('one', plant(1n, 'Aloe'))).toBe('created');
    expect(await plants.create('other', plant(1n, 'Ficus'))).toBe('created');
    expect(await plants.remove('other', 1n)).toBe(true);
    expect(await plants.remove('other', 1n)).toBe(false);
    expect(await plants.list('one', 10, undefined)).toEqual([plant(1n, 'Aloe')]);
    expect(await plants.list('other', 10, undefined)).toEqual([]);
  });

  test('names come back exactly', async () => {
    const name = 'e\u0301 é 🪴 \u202E \uFEFF "\\';
    await plants.create('text', plant(1n, name));
    expect(await plants.list('text', 1, undefined)).toEqual([plant(1n, name)]);
  });

  test('a list of more than DynamoDB’s megabyte a page is whole', async () => {
    // Longer than a name can be, so that a few hundred are enough.
    const name = 'a'.repeat(4000);
    const items = Array.from({ length: 600 }, (_, id) => ({ owner: 'many', id, name }));
    await writePlants(
      database,
      items.map((Item) => ({ PutRequest: { Item } })),
    );
    const listed = await plants.list('many', 1001, undefined);
    expect(listed.map(({ id }) => id)).toEqual(Array.from({ length: 600 }, (_, i) => BigInt(i)));
    expect(new Set(listed.map((one) => one.name))).toEqual(new Set([name]));
    expect(await plants.list('many', 500, undefined)).toHaveLength(500);
    expect(await plants.list('many', 1001, 99n)).toHaveLength(500);
  });

  test('what is read is never stale', async () => {
    const reads: unknown[] = [];
    const watched = localDocumentClient(engine.endpoint);
    watched.middlewareStack.add(
      (next) => (args) => {
        if (!('Item' in args.input)) reads.push(args.input);
        return next(args);
      },
      { step: 'initialize' },
    );
    const store = plantStore(watched, tableIds.plants);
    await store.create('stale', plant(1n));
    await store.create('stale', plant(1n));
    await store.list('stale', 10, undefined);
    watched.destroy();
    expect(reads).toEqual([
      expect.objectContaining({ ConsistentRead: true }),
      expect.objectContaining({ ConsistentRead: true }),
    ]);
  });

  test('what is aborted is not done', async () => {
    const aborted = AbortSignal.abort();
    await plants.create('aborted', plant(1n));
    const calls = [
      plants.create('aborted', plant(2n), aborted),
      plants.remove('aborted', 1n, aborted),
      plants.list('aborted', 10, undefined, aborted),
    ];
    for (const call of calls) await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(await plants.list('aborted', 10, undefined)).toEqual([plant(1n)]);
  });

  test('an item holds its key, its fields and 8 bytes of its create', async () => {
    await plants.create('item', { id: 1n, ...whole });
    const { Item } = await database.send(
      new GetCommand({ TableName: tableIds.plants, Key: { owner: 'item', id: 1n } }),
    );
    const nonce = expect.objectContaining({ length: 8 });
    expect(Item).toEqual({ ...stored('item', 1n, whole), nonce });
  });

  test('items that earlier versions wrote are plants like any other', async () => {
    // Without a nonce, and without fields that came later.
    const items = [stored('old', 1n, whole), { owner: 'old', id: 2n, name: 'Ficus' }];
    for (const Item of items)
      await database.send(new PutCommand({ TableName: tableIds.plants, Item }));
    const upgraded = [{ id: 1n, ...whole }, plant(2n, 'Ficus')];
    expect(await plants.list('old', 10, undefined)).toEqual(upgraded);
    for (const one of upgraded) {
      expect(await plants.create('old', one)).toBe('unchanged');
      expect(await plants.create('old', { ...one, name: 'Aloe' })).toBe('conflict');
      expect(await plants.remove('old', one.id)).toBe(true);
      expect(await plants.create('old', one)).toBe('created');
    }
    expect(await plants.list('old', 10, undefined)).toEqual(upgraded);
  });

  test.each([
    ['name', { tag: '' }],
    ['name', { name: 7, tag: '' }],
    ['tag', { name: 'Aloe', tag: ['sun'] }],
  ])(
    'a damaged item is an error that names its %s and nothing of its content',
    async (field, content) => {
      const Item = { owner: 'damaged', id: 1n, ...content };
      await database.send(new PutCommand({ TableName: tableIds.plants, Item }));
      const message = `The stored plant 1 has no valid ${field}.`;
      await expect(plants.list('damaged', 10, undefined)).rejects.toThrow(message);
      await expect(plants.create('damaged', plant(1n))).rejects.toThrow(message);
    },
  );
});
