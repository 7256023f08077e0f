import { expect, test } from '@jest/globals';
import { type Content, parameter } from '../../functions/items/fields.ts';
import { listOf, text, time } from '../../functions/items/kinds.ts';
import {
  cursorPattern,
  decodeCursor,
  encodeCursor,
  largestPage,
  paging,
  readPage,
} from '../../functions/items/paging.ts';

const parameters = {
  ...paging,
  soil: parameter(text(1, 9)),
  tags: parameter(listOf(text(1, 9), 3)),
};
type Query = Content<typeof parameters>;

/** Reads a page of a list of 1500 items, whose ids are from 1 on. */
async function pageOf(query: Partial<Query>) {
  const asked: Query = { limit: largestPage, cursor: undefined, soil: undefined, tags: undefined };
  const { page, headers } = await readPage(
    parameters,
    { ...asked, ...query },
    '/v1/beds',
    async (limit, after = 0n) => {
      const length = Math.min(limit, 1500 - Number(after));
      return Array.from({ length }, (_, i) => ({ id: after + BigInt(i) + 1n }));
    },
    ({ id }) => id,
  );
  return { ids: [page[0]?.id, page.at(-1)?.id], headers };
}
const link = (query: string) => ({ Link: `</v1/beds?${query}>; rel="next"` });

test('a page that others follow links to the next one', async () => {
  const cursor = encodeCursor(1000n);
  expect(await pageOf({})).toEqual({
    ids: [1n, 1000n],
    headers: link(`limit=1000&cursor=${cursor}`),
  });
});

test('a page that ends with the list has no link', async () => {
  expect(await pageOf({ cursor: 500n })).toEqual({ ids: [501n, 1500n], headers: {} });
  expect(await pageOf({ cursor: 1499n })).toEqual({ ids: [1500n, 1500n], headers: {} });
  expect(await pageOf({ cursor: 1500n })).toEqual({ ids: [undefined, undefined], headers: {} });
});

test('a limit above the largest page means the largest page', async () => {
  const headers = link(`limit=1000&cursor=${encodeCursor(1000n)}`);
  expect(await pageOf({ limit: 1400 })).toEqual({ ids: [1n, 1000n], headers });
});

test('a link repeats the filters that were given, before the limit and the cursor', async () => {
  const headers = link(`soil=a%26b&tags=x&tags=y&limit=2&cursor=${encodeCursor(9n)}`);
  const query = { soil: 'a&b', tags: ['x', 'y'], limit: 2, cursor: 7n };
  expect(await pageOf(query)).toEqual({ ids: [8n, 9n], headers });
});

test('a list can have its items in order of another kind of value', async () => {
  const byTime = { limit: paging.limit, cursor: parameter(time()) };
  const times = ['2026-11-22T15:04:05Z', '2026-11-22T15:04:06Z'];
  const asked: unknown[] = [];
  const { page, headers } = await readPage(
    byTime,
    { limit: 1, cursor: '2026-11-22T15:04:04Z' },
    '/v1/waterings',
    async (limit, after) => {
      asked.push(limit, after);
      return times;
    },
    (last) => last,
  );
  expect(asked).toEqual([2, '2026-11-22T15:04:04Z']);
  expect(page).toEqual(['2026-11-22T15:04:05Z']);
  const query = 'limit=1&cursor=2026-11-22T15%3A04%3A05Z';
  expect(headers).toEqual({ Link: `</v1/waterings?${query}>; rel="next"` });
});

test.each([0n, 7n, -1n, 2n ** 63n - 1n, -(2n ** 63n)])('a cursor holds the id %s', (id) => {
  const cursor = encodeCursor(id);
  expect(cursor).toMatch(new RegExp(`^${cursorPattern}$`));
  expect(decodeCursor(cursor)).toBe(id);
  const { kind } = paging.cursor;
  const refuse = (detail: string): never => {
    throw new Error(detail);
  };
  expect(kind.toParameter(id)).toEqual([cursor]);
  expect(kind.fromParameter(cursor, refuse)).toBe(id);
});

test('the schema of a cursor is its pattern', () => {
  const schema = { type: 'string', pattern: `^${cursorPattern}$` };
  expect(paging.cursor.kind.schema()).toEqual(schema);
});

test.each([
  ['7', 'must be a cursor from a list’s Link'],
  [`${encodeCursor(7n)}A`, 'must be a cursor from a list’s Link'],
  [`1${encodeCursor(7n)}`, 'must be a cursor from a list’s Link'],
  [[encodeCursor(7n), encodeCursor(8n)], 'must be given only once'],
])('the cursor %j is refused', (given, detail) => {
  const details: string[] = [];
  const refuse = (found: string): undefined => void details.push(found);
  expect(paging.cursor.kind.fromParameter(given, refuse)).toBeUndefined();
  expect(details).toEqual([detail]);
});
