import { expect, test } from '@jest/globals';
import { makeToken, tokenId } from '../../functions/access-tokens/token.ts';
import { accessTokenPattern } from '../../functions/shared/access-token.ts';
import { forge } from '../support/access-tokens/forge.ts';

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

test('10 000 tokens differ in id and secret, and use every character in every place', () => {
  const tokens = Array.from({ length: 10_000 }, makeToken);
  expect(new Set(tokens.map(({ id }) => id)).size).toBe(10_000);
  expect(new Set(tokens.map(({ token }) => token.slice(17, 60))).size).toBe(10_000);
  // Leave out the first place of the secret, because 256 bits end a little below 62^43.
  const places = [
    ...Array.from({ length: 12 }, (_, i) => 4 + i),
    ...Array.from({ length: 42 }, (_, i) => 18 + i),
  ];
  for (const place of places)
    expect(new Set(tokens.map(({ token }) => token[place])).size).toBe(62);
});

test('the pattern finds a token in any text, and ends with it', () => {
  const { token } = makeToken();
  const found = `curl -H "Authorization: Bearer ${token}" # ${token}, and pst_ alone`.match(
    new RegExp(accessTokenPattern, 'g'),
  );
  expect(found).toEqual([token, token]);
});
