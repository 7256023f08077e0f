import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { largestPage, readPage } from '../../functions/items/paging.ts';
import { newPlant, plantKind } from '../../functions/plants/plant.ts';
import { maxBodyBytes } from '../../functions/shared/operations.ts';
import { largestContent } from './largest-content.ts';

test('every fault of a text is named', () => {
  const { issues } = v.safeParse(newPlant, { id: 1n, name: `${'a'.repeat(200)}\0` });
  expect(issues?.map(({ message }) => message)).toEqual([
    'must be 1 to 200 code points long',
    'must be well-formed Unicode without control characters and without U+FFFD',
  ]);
});

test('every field but the name may be left out, because stored plants may lack it', () => {
  expect(v.safeParse(newPlant, { id: 1n, name: 'Aloe' }).success).toBe(true);
  expect(Object.keys(plantKind.parse({ id: 1n, name: 'Aloe' }))).toEqual([
    'id',
    ...plantKind.fieldNames,
  ]);
});

test('an item without an id, or with a float for one, is an error', () => {
  for (const id of [undefined, 7])
    expect(() => plantKind.parse({ id, name: 'Aloe' })).toThrow('valid id');
});

test('the largest plant fits in a body even if every character of its texts is escaped', () => {
  const escaped = JSON.stringify({ id: `${-(2n ** 63n)}`, ...largestContent }).replaceAll(
    /[^ -~]/g,
    '\\u0000',
  );
  expect(escaped.length).toBeLessThanOrEqual(maxBodyBytes);
});

test('a page of the largest plants is within the 6 MB that Lambda takes as an answer', () => {
  const page = JSON.stringify(Array(largestPage).fill(largestContent));
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(6_000_000);
});

test('a link to the next page repeats every parameter of the query, encoded', async () => {
  const query = { limit: 1, tag: 'a b&c=d>é', cursor: 5n, kind: 'x' };
  const read = async (limit: number, after = 0n) =>
    [6n, 7n].slice(0, limit).map((id) => ({ id, after }));
  const { page, headers } = await readPage(query, '/v1/plants', read);
  expect(page).toEqual([{ id: 6n, after: 5n }]);
  expect(headers.Link).toBe(
    `</v1/plants?tag=a%20b%26c%3Dd%3E%C3%A9&kind=x&limit=1&cursor=1AAAAAAAAAAY>; rel="next"`,
  );
});
