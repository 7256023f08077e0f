import crypto from 'node:crypto';
import { afterEach, expect, jest, test } from '@jest/globals';
import { accessTokenPattern } from '../../functions/shared/access-token.ts';
import { forge } from '../support/access-tokens/forge.ts';

/** Replaces the random bytes of the system. A test can choose the only bit that is set. */
let bitToSet: number | undefined;
let bits = 0;
function randomBytes(count: number): Buffer {
  if (bitToSet === undefined) {
    return crypto.randomBytes(count);
  }
  const bytes = Buffer.alloc(count);
  const place = bitToSet - bits;
  if (place >= 0 && place < count * 8) {
    bytes[place >> 3] = 1 << (place & 7);
  }
  bits += count * 8;
  return bytes;
}
afterEach(() => {
  bitToSet = undefined;
});
jest.unstable_mockModule('node:crypto', () => ({ ...crypto, default: crypto, randomBytes }));
const { makeToken, tokenId } = await import('../../functions/access-tokens/token.ts');

test('a new token is pst_, its id, a secret and a checksum', () => {
  const { id, token } = makeToken();
  expect(token).toMatch(/^pst_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/);
  expect(tokenId(token)).toBe(id);
  expect(token.split('_')[1]).toBe(id);
});

test('the checksum is the CRC-32 of everything before it', () => {
  // Computed by zlib.
  const token = forge('0'.repeat(12), '0'.repeat(43));
  expect(tokenId(token)).toBe('0'.repeat(12));
  expect(tokenId(token.replace(/.$/, (last) => (last === '0' ? '1' : '0')))).toBeUndefined();
});

test('a token with a part of another length has no id, despite a right checksum', () => {
  for (const id of ['0'.repeat(11), '0'.repeat(13)]) {
    expect(tokenId(forge(id))).toBeUndefined();
  }
  for (const secret of ['', '0'.repeat(42), '0'.repeat(44)]) {
    expect(tokenId(forge('0'.repeat(12), secret))).toBeUndefined();
  }
});

test('each of 256 random bits changes the secret, and each of 128 others the id', () => {
  const madeWith = (bit: number) => {
    bitToSet = bit;
    bits = 0;
    return makeToken().token.slice(4, 60);
  };
  expect([madeWith(-1), bits]).toEqual([`${'0'.repeat(12)}_${'0'.repeat(43)}`, 384]);
  const made = Array.from({ length: bits }, (_, bit) => madeWith(bit).split('_'));
  expect(new Set(made.map(([id]) => id)).size).toBe(1 + 128);
  expect(new Set(made.map(([, secret]) => secret)).size).toBe(1 + 256);
});

test('the pattern finds whole tokens in any text', () => {
  const { token } = makeToken();
  const found = `curl -H "Authorization: Bearer ${token}" # ${token}, and pst_ alone`.match(
    new RegExp(accessTokenPattern, 'g'),
  );
  expect(found).toEqual([token, token]);
});
