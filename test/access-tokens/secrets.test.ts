import { expect, test } from '@jest/globals';
import { secretsIn } from '../support/access-tokens/secrets.ts';

const token = 'pst_0123456789AB_ZYXWVUTSRQPONMLKJIHGFEDCBAzyxwvutsrqponmlkj123456';
const other = 'pst_BA9876543210_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ654321';

const base64 = (text: string) => Buffer.from(text).toString('base64');

test.each([
  ['a whole token', token],
  ['the first half of a secret', 'ZYXWVUTSRQPONMLKJIHGF'],
  ['a half from the middle', 'PONMLKJIHGFEDCBAzyxwv'],
  ['the second half with the checksum', 'xwvutsrqponmlkj123456'],
  ['a token in base64', base64(token)],
  ['a header in base64', base64(`Bearer ${token}`)],
  ['half a secret in base64', base64('ONMLKJIHGFEDCBAzyxwvutsr')],
])('the leak scan finds %s', (_, leak) => {
  const texts = ['{"code":"TOKEN_ACCEPTED"}', `{"leak":"${leak}"}`];
  expect(secretsIn(texts, [other, token])).toEqual([`0123456789AB in ${texts[1]}`]);
});

test('the leak scan ignores ids and the secrets of other tokens', () => {
  expect(secretsIn(['0123456789AB', 'pst_0123456789AB_', other], [token])).toEqual([]);
});
