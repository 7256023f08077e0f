import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { readInput } from '../../functions/http/input.ts';
import { cursorAfter, listQuery, parsePlant, publicFields } from '../../functions/plants/plant.ts';
import { proxyEvent } from '../support/service/proxy-event.ts';

test.each([
  // As the first version stored it, and as this one does.
  { item: { name: 'Aloe' }, plant: { name: 'Aloe', tag: '' } },
  { item: { name: 'Aloe', tag: 'sun' }, plant: { name: 'Aloe', tag: 'sun' } },
  { item: { name: 'Aloe', tag: 'sun', soil: 7 }, plant: { name: 'Aloe', tag: 'sun' } },
])('the item $item is the plant $plant', ({ item, plant }) => {
  const id = NumberValue.from('-9223372036854775807');
  const parsed = parsePlant({ owner: 'ann', id, ...item });
  expect(parsed).toEqual({ id: -9223372036854775807n, ...plant });
  expect(publicFields(parsed)).toEqual(plant);
});

test.each([
  ['id', { id: '7', name: 'secret' }],
  ['name', { id: NumberValue.from('7'), name: 7, tag: 'secret' }],
  ['tag', { id: NumberValue.from('7'), name: 'secret', tag: null }],
])('an item with a damaged %s throws without quoting its content', (member, item) => {
  expect(() => parsePlant(item)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(new RegExp(`no valid ${member}\\.$`)),
    }),
  );
  expect(() => parsePlant(item)).not.toThrow(/secret/);
});

const cursorOf = (query: string) =>
  readInput({ query: listQuery }, proxyEvent({ query: { cursor: [query] } })).query.cursor;

test.each([
  [0n, '1AAAAAAAAAAA'],
  [7n, '1AAAAAAAAAAc'],
  [-1n, '1__________8'],
  [2n ** 53n + 1n, '1ACAAAAAAAAE'],
  [2n ** 63n - 1n, '1f_________8'],
  [-(2n ** 63n), '1gAAAAAAAAAA'],
])('the cursor after %s is %s', (id, cursor) => {
  expect(cursorAfter(id)).toBe(cursor);
  expect(cursorOf(cursor)).toBe(id);
});

const largest = { name: '🪴'.repeat(200), tag: '🪴'.repeat(100) };

test('the largest plant fits in a body, even with every character escaped', () => {
  const escaped = JSON.stringify({ id: `${-(2n ** 63n)}`, ...largest }).replaceAll(
    /[^ -~]/g,
    '\\u0000',
  );
  expect(escaped.length).toBeLessThanOrEqual(16_384);
});

test('a page of the largest plants is within Lambda’s 6 MB for a response', () => {
  const page = JSON.stringify(Array(1000).fill(largest));
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(6_000_000);
});
