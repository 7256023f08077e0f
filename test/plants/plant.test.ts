import { expect, test } from '@jest/globals';
import { largestPage } from '../../functions/items/paging.ts';
import { maxBodyBytes } from '../../functions/shared/operations.ts';
import { largestContent } from './largest-content.ts';

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
