import crypto from 'node:crypto';
import { expect, jest, test } from '@jest/globals';

// The random bytes of the system are replaced by zeros of which one bit can be set.

let bit = -1;
let bits = 0;
function randomBytes(count: number): Buffer {
  const bytes = Buffer.alloc(count);
  const place = bit - bits;
  if (place >= 0 && place < count * 8) bytes[place >> 3] = 1 << (place & 7);
  bits += count * 8;
  return bytes;
}
jest.unstable_mockModule('node:crypto', () => ({ ...crypto, default: crypto, randomBytes }));
const { makeToken } = await import('../../functions/access-tokens/token.ts');

const secretWith = (bitToSet: number) => {
  [bit, bits] = [bitToSet, 0];
  return makeToken().token.slice(17, 60);
};

test('a secret is made of random bytes of the system and of nothing else', () => {
  expect(secretWith(-1)).toBe('0'.repeat(43));
  expect(secretWith(-1)).toBe('0'.repeat(43));
});

test('each of 256 random bits changes the secret', () => {
  secretWith(-1);
  const secrets = new Set(Array.from({ length: bits }, (_, each) => secretWith(each)));
  secrets.delete(secretWith(-1));
  expect(secrets.size).toBe(256);
});
