import { GetCommand, NumberValue, PutCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { parseInput } from '../../functions/http/input.ts';
import { formatCursor, listQuery } from '../../functions/plants/page.ts';
import { parsePlant } from '../../functions/plants/plant.ts';
import { plantStore } from '../../functions/plants/store.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { makeFields, makeItem, makePlant } from '../support/plant.ts';
import { database } from '../support/service/functions.ts';
import { proxyEvent } from '../support/service/proxy-event.ts';

// The contract tests the responses, and the explorer tests concurrent calls.

const TableName = tableIds.plants;
const ficus = makeFields('Ficus');

/** Returns a stored Ficus as the functions read it, with numbers that keep every digit. */
const readItem = (owner: string, id: bigint) =>
  unmarshall(makeItem(owner, id, 'Ficus'), { wrapNumbers: true });

const plants = plantStore(database, TableName);
const put = (Item: object) => database.send(new PutCommand({ TableName, Item }));

test('a list of several DynamoDB pages is complete, and can abort each consistent read', async () => {
  // A page of DynamoDB ends at 1 MB. Longer names than the API allows make few items enough.
  const name = 'a'.repeat(390_000);
  const ids = [1n, 2n, 3n, 4n, 5n];
  for (const id of ids) {
    await put({ owner: 'many', ...makePlant(id, name) });
  }
  const options = { abortSignal: new AbortController().signal };
  const listIds = async (limit: number, after?: bigint) =>
    (await plants.list('many', limit, after, options)).map((one) => one.name === name && one.id);
  expect(await listIds(4)).toEqual(ids.slice(0, 4));
  expect(await listIds(1001, 1n)).toEqual(ids.slice(1));

  const send = jest.spyOn(database, 'send');
  expect(await listIds(1001)).toEqual(ids);
  const { calls } = send.mock;
  send.mockRestore();
  expect(calls.length).toBeGreaterThan(1);
  for (const [query, given] of calls) {
    expect(query.input).toHaveProperty('ConsistentRead', true);
    expect(given).toBe(options);
  }
});

test('an item has its key, its fields and a nonce of 8 bytes', async () => {
  await plants.create('item', { id: 1n, ...ficus });
  const Key = { owner: 'item', id: 1n };
  const { Item } = await database.send(new GetCommand({ TableName, Key }));
  const nonce = expect.objectContaining({ length: 8 });
  expect(Item).toEqual({ ...readItem('item', 1n), nonce });
});

test('a put that does not ask for the item that makes its condition fail gets none', async () => {
  const put = new PutCommand({
    TableName,
    Item: { owner: 'taken', id: 1n, ...ficus },
    ConditionExpression: 'attribute_not_exists(id)',
    ReturnValuesOnConditionCheckFailure: 'NONE',
  });
  await database.send(put);
  const { name, Item } = await database.send(put).catch((error) => error);
  expect({ name, Item }).toEqual({ name: 'ConditionalCheckFailedException', Item: undefined });
});

test('items of earlier versions can be listed, compared, deleted and created again', async () => {
  // Without a nonce, and without an optional field.
  await put({ owner: 'old', id: 1n, ...ficus });
  const { tag, ...withoutTag } = ficus;
  await put({ owner: 'old', id: 2n, ...withoutTag });
  const upgraded = [
    { id: 1n, ...ficus },
    { id: 2n, ...ficus, tag: '' },
  ];
  expect(await plants.list('old', 10)).toEqual(upgraded);
  for (const one of upgraded) {
    expect(await plants.create('old', one)).toBe('unchanged');
    expect(await plants.create('old', { ...one, name: 'Aloe' })).toBe('conflict');
    expect(await plants.remove('old', one.id)).toBe(true);
    expect(await plants.remove('old', one.id)).toBe(false);
    expect(await plants.create('old', one)).toBe('created');
  }
  expect(await plants.list('old', 10)).toEqual(upgraded);
});

test('a stored plant keeps every digit of its id, and members of later versions are ignored', () => {
  const parsed = parsePlant({ ...readItem('ann', -9223372036854775807n), soil: 7 });
  expect(parsed).toEqual({ id: -9223372036854775807n, ...ficus });
});

const seven = NumberValue.from('7');
test.each([
  ['A stored plant has no valid id.', { id: '7', name: 'secret' }],
  ['The stored plant 7 has no valid name.', { id: seven, name: Buffer.of(7), tag: 'secret' }],
  ['The stored plant 7 has no valid tag.', { id: seven, name: 'secret', tag: null }],
])('the error of a damaged item does not quote its content: %s', (message, item) => {
  expect(() => parsePlant(item)).toThrow(new Error(message));
});

const readCursor = (query: string) =>
  parseInput({ query: listQuery }, proxyEvent({ query: { cursor: [query] } })).query.cursor;

test.each([
  [7n, '1AAAAAAAAAAc'],
  [2n ** 53n + 1n, '1ACAAAAAAAAE'],
  [-(2n ** 63n), '1gAAAAAAAAAA'],
])('the cursor after %s is %s', (id, cursor) => {
  expect(formatCursor(id)).toBe(cursor);
  expect(readCursor(cursor)).toBe(id);
});
