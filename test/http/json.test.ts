import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonObject } from '../../functions/http/json.ts';
import { numberLiteral } from '../fuzz/inputs.ts';
import { integerOf } from '../fuzz/oracle.ts';
import { parse } from '../support/http/http-client.ts';

const idOf = (literal: string) => parseJsonObject(`{"id":${literal}}`)?.members.id;

test('numbers are read as the oracle of the fuzzing reads them, to every digit', () => {
  const random = fc.sample(numberLiteral, { numRuns: 4000, seed: 42 });
  const literals = random.filter((text) => parse(text) !== undefined);
  const long = [`1${'0'.repeat(400)}e-400`, `0.${'0'.repeat(400)}1e401`];
  for (const literal of [...long, ...literals]) {
    const exact = long.includes(literal) ? 1n : integerOf(literal);
    const value = idOf(literal);
    const isInt64 = typeof exact === 'bigint' && BigInt.asIntN(64, exact) === exact;
    // What is no int64 is read as a fraction, or as an integer that is outside too.
    const isRead = typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
    expect([literal, isRead ? value : undefined]).toEqual([literal, isInt64 ? exact : undefined]);
  }
});

const fractions =
  '0.5 1e-1 -1.5 1.00000000000000000000000000001 123e-4 1e-400 1e-99999999999999999999 ' +
  '9007199254740993.5';
test.each(fractions.split(' '))('the number %s is not an integer', (literal) => {
  expect(typeof idOf(literal)).toBe('number');
});

test.each([
  '1e21',
  '1e400',
  '-1e400',
  '1e99999999999999999999',
  '9'.repeat(16_000),
  `1${'0'.repeat(16_000)}`,
])('a number far outside of int64 becomes a smaller one that is outside too', (literal) => {
  const value = idOf(literal) as bigint;
  expect(value < 0n).toBe(literal.startsWith('-'));
  expect(value < 0n ? -value : value).toBe(10n ** 20n);
});

test.each<[text: string, repeated: string[]]>([
  ['{"id":1,"id":1}', ['id']],
  ['{"id":1,"\\u0069d":1}', ['id']],
  ['{"a":{"id":1},"id":1,"b":[{"id":2,"id":3}]}', []],
  ['{"a":"{\\"a\\":1}","b":"a\\\\","c":"\\""}', []],
  ['{"":1,"":2,"a":[[],{}],"a":{}}', ['', 'a']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['{"id":1,"id":2,"id":3}', ['id']],
])('the repeated members of %s are %j', (text, repeated) => {
  expect(parseJsonObject(text)?.repeated).toEqual(repeated);
});

test('a member may have any name', () => {
  const text = '{"__proto__":1,"constructor":{"prototype":2},"hasOwnProperty":3}';
  expect(Object.entries(parseJsonObject(text)?.members ?? {})).toEqual([
    ['__proto__', 1n],
    ['constructor', { prototype: 2 }],
    ['hasOwnProperty', 3n],
  ]);
  expect(({} as { prototype?: unknown }).prototype).toBeUndefined();
});

test.each(['null', 'true', '7', '"text"', '[{"id":1}]'])('%s is not an object', (text) => {
  expect(parseJsonObject(text)).toBeUndefined();
});

const broken = `{ {"id":1,} {id:1} {'id':1} {"id":01} {"id":+1} {"id":.5} {"id":NaN} {"id":1}x`;
test.each([...broken.split(' '), '', '{"id":"\n"}', '\0'])('%j is not JSON', (text) => {
  expect(() => parseJsonObject(text)).toThrow(SyntaxError);
});

test.each([
  ['arrays', '[', ']'],
  ['objects', '{"a":', '}'],
])('%s nested as deeply as 16 KiB allow are read', (_, open, close) => {
  const depth = Math.floor((16 * 1024 - 8) / (open.length + close.length));
  const text = `{"a":${open.repeat(depth)}1${close.repeat(depth)}}`;
  expect(parseJsonObject(text)?.repeated).toEqual([]);
  expect(() => parseJsonObject(open.repeat(16 * 1024))).toThrow(SyntaxError);
});
