import { expect, test } from '@jest/globals';
import { decodeCursor, encodeCursor } from '../../functions/plants/cursor.ts';

const ids = [0n, 1n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];

test.each(ids)('a cursor after %s leads back to it, and is safe in a URL', (id) => {
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
])('%j is no cursor', (text) => {
  expect(decodeCursor(text)).toBeUndefined();
});

test('bytes have one spelling, though the last character of base64 has two bits to spare', () => {
  const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/'].map(
    (last) => cursor.slice(0, -1) + last,
  );
  expect(spellings.filter((text) => decodeCursor(text) !== undefined)).toHaveLength(16);
});
