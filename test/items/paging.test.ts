import { expect, test } from '@jest/globals';
import {
  cursorPattern,
  decodeCursor,
  encodeCursor,
  readPage,
} from '../../functions/items/paging.ts';

const pattern = new RegExp(`^${cursorPattern}$`);
const ids = [0n, 1n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];

test.each(ids)('a cursor after %s leads back to it, and is safe in a URL', (id) => {
  expect(encodeCursor(id)).toMatch(pattern);
  expect(encodeCursor(id)).toMatch(/^[A-Za-z0-9_-]{12}$/);
  expect(decodeCursor(encodeCursor(id))).toBe(id);
});

const cursor = encodeCursor(7n);

test.each([
  '',
  '1',
  cursor.slice(1),
  cursor.slice(0, -1),
  `2${cursor.slice(1)}`,
  `${cursor}A`,
  `${cursor}=`,
  ` ${cursor}`,
  `${cursor}\n`,
])('%j is not a cursor', (text) => {
  expect(text).not.toMatch(pattern);
});

test('the pattern matches exactly the cursors that encodeCursor makes', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const matching = [...alphabet, '+', '/']
    .map((last) => cursor.slice(0, -1) + last)
    .filter((text) => pattern.test(text));
  expect(matching).toHaveLength(16);
  for (const text of matching) expect(encodeCursor(decodeCursor(text))).toBe(text);
});

test('a link to the next page repeats every parameter of the query, encoded', async () => {
  const query = { limit: 1, tag: 'a b&c=d>é', cursor: 5n, kind: 'x' };
  const read = async (limit: number, after = 0n) =>
    [6n, 7n].slice(0, limit).map((id) => ({ id, after }));
  const { page, headers } = await readPage(query, '/v1/plants', read);
  expect(page).toEqual([{ id: 6n, after: 5n }]);
  expect(headers.Link).toBe(
    `</v1/plants?tag=a%20b%26c%3Dd%3E%C3%A9&kind=x&limit=1&cursor=${encodeCursor(6n)}>; rel="next"`,
  );
});
