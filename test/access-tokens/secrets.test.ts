import { expect, test } from '@jest/globals';
import { makeToken } from '../../functions/access-tokens/token.ts';
import { secretsIn } from '../support/access-tokens/secrets.ts';

const { id, token } = makeToken();
const other = makeToken();

test.each<[string, (secret: string) => string]>([
  ['whole', (secret) => secret],
  ['its first half', (secret) => secret.slice(0, 21)],
  ['its second half', (secret) => secret.slice(22, 43)],
  ['a half from its middle', (secret) => secret.slice(11, 32)],
  ['its end with the checksum', (secret) => secret.slice(-21)],
  ['in hex', (secret) => Buffer.from(`token=${secret}`).toString('hex')],
  ['in upper-case hex', (secret) => Buffer.from(secret).toString('hex').toUpperCase()],
  ['in base64', (secret) => Buffer.from(secret).toString('base64')],
  ['in base64 after one character', (secret) => Buffer.from(`x${secret}`).toString('base64')],
  ['in base64 after two characters', (secret) => Buffer.from(`xx${secret}x`).toString('base64')],
  ['its first half in base64url', (s) => Buffer.from(s.slice(0, 22)).toString('base64url')],
])('the search of the suites finds a secret %s', (_, leak) => {
  const texts = ['{"code":"TOKEN_ACCEPTED"}', `{"leak":"${leak(token.slice(17))}"}`];
  expect(secretsIn(texts, [other.token, token])).toEqual([`${id} in ${texts[1]}`]);
});

test('the search of the suites does not take an id or another secret for the secret', () => {
  expect(secretsIn([id, `pst_${id}_`, other.token], [token])).toEqual([]);
});
