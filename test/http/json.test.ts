import { expect, test } from '@jest/globals';
import { parseJsonObject } from '../../functions/http/json.ts';
import { randomNumbers } from './random-numbers.ts';

const idOf = (literal: string) => parseJsonObject(`{"id":${literal}}`)?.members.id;

test.each<[literal: string, value: bigint]>([
  ['0', 0n],
  ['-0', 0n],
  ['0.0', 0n],
  ['0e99999999999999999999', 0n],
  ['0.000e-5', 0n],
  ['7', 7n],
  ['1.0', 1n],
  ['1e2', 100n],
  ['1E+2', 100n],
  ['-12.50e1', -125n],
  ['10e-1', 1n],
  ['0.0001e4', 1n],
  ['1200.00e-2', 12n],
  ['9007199254740993', 9007199254740993n],
  ['9223372036854775807', 9223372036854775807n],
  ['-9223372036854775808', -9223372036854775808n],
  ['9223372036854775808', 9223372036854775808n],
  ['12345678901234567890', 12345678901234567890n],
  ['9223372036854775807.000', 9223372036854775807n],
  ['9.223372036854775807e18', 9223372036854775807n],
  ['92233720368547758070e-1', 9223372036854775807n],
  [`1${'0'.repeat(400)}e-400`, 1n],
  [`0.${'0'.repeat(400)}1e401`, 1n],
])('the number %s is the integer %s', (literal, value) => {
  expect(idOf(literal)).toBe(value);
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

test('integers of random size and spelling keep every digit', () => {
  const random = randomNumbers(42);
  for (let i = 0; i < 2000; i += 1) {
    const digits = Array.from({ length: random(18) }, () => random(10)).join('');
    const value = BigInt(`${1 + random(9)}${digits}`) * (random(2) ? 1n : -1n);
    const literal = spell(value, random);
    expect([literal, idOf(literal)]).toEqual([literal, value]);
  }
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

/** Writes an integer with a fraction of zeros, an exponent or a shifted point. */
function spell(value: bigint, random: (below: number) => number): string {
  const sign = value < 0n ? '-' : '';
  const digits = `${value < 0n ? -value : value}`;
  const zeros = '0'.repeat(random(3));
  const shift = random(digits.length);
  const point = digits.length - shift;
  const shifted = `${digits.slice(0, point)}.${digits.slice(point)}${zeros}`;
  const choices = [
    digits,
    `${digits}.0${zeros}`,
    `${digits}${zeros}e-${zeros.length}`,
    `${digits}e0`,
    shift > 0 ? `${shifted}E+${shift}` : digits,
  ];
  return sign + choices[random(choices.length)];
}
