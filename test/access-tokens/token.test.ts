import crypto from 'node:crypto';
import { afterEach, expect, jest, test } from '@jest/globals';
import { accessTokenPattern } from '../../functions/shared/access-token.ts';
import { forge } from '../support/access-tokens/forge.ts';

/** Stands for the random bytes of the system, of which a test can choose a single set bit. */
let bitToSet: number | undefined;
let bits = 0;
function randomBytes(count: number): Buffer {
  if (bitToSet === undefined) return crypto.randomBytes(count);
  const bytes = Buffer.alloc(count);
  const place = bitToSet - bits;
  if (place >= 0 && place < count * 8) bytes[place >> 3] = 1 << (place & 7);
  bits += count * 8;
  return bytes;
}
afterEach(() => {
  bitToSet = undefined;
});
jest.unstable_mockModule('node:crypto', () => ({ ...crypto, default: crypto, randomBytes }));
const { makeToken, tokenId } = await import('../../functions/access-tokens/token.ts');

test('a token is pst_, an id, a secret and a checksum, and gives its id', () => {
  const { id, token } = makeToken();
  expect(token).toMatch(/^pst_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
  expect(tokenId(token)).toBe(id);
  expect(token.split('_')[1]).toBe(id);
});

test('the checksum is the CRC-32 of all before it, so that anyone can check a find', () => {
  // Computed by zlib.
  const token = forge('0'.repeat(12), '0'.repeat(43));
  expect(tokenId(token)).toBe('0'.repeat(12));
  expect(tokenId(token.replace(/.$/, (last) => (last === '0' ? '1' : '0')))).toBeUndefined();
});

test('a token with a part of another length is refused, though its checksum is right', () => {
  for (const id of ['0'.repeat(11), '0'.repeat(13)]) expect(tokenId(forge(id))).toBeUndefined();
  for (const secret of ['', '0'.repeat(42), '0'.repeat(44)])
    expect(tokenId(forge('0'.repeat(12), secret))).toBeUndefined();
});

test('each of 128 random bits changes the id, each of 256 more the secret, and nothing else', () => {
  const madeOf = (bit: number) => {
    [bitToSet, bits] = [bit, 0];
    const { token } = makeToken();
    return { id: token.slice(4, 16), secret: token.slice(17, 60) };
  };
  const [zeroId, zeroSecret] = ['0'.repeat(12), '0'.repeat(43)];
  expect([madeOf(-1), bits]).toEqual([{ id: zeroId, secret: zeroSecret }, 384]);
  const made = Array.from({ length: 384 }, (_, bit) => madeOf(bit));
  expect(
    new Set(
      made
        .slice(0, 128)
        .map(({ id }) => id)
        .concat(zeroId),
    ).size,
  ).toBe(129);
  expect(
    new Set(
      made
        .slice(128)
        .map(({ secret }) => secret)
        .concat(zeroSecret),
    ).size,
  ).toBe(257);
  expect(made.slice(0, 128).every(({ secret }) => secret === zeroSecret)).toBe(true);
  expect(made.slice(128).every(({ id }) => id === zeroId)).toBe(true);
});

test('the pattern finds a token in any text, and ends with it', () => {
  const { token } = makeToken();
  const found = `curl -H "Authorization: Bearer ${token}" # ${token}, and pst_ alone`.match(
    new RegExp(accessTokenPattern, 'g'),
  );
  expect(found).toEqual([token, token]);
});
