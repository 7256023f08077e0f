import { expect, test } from '@jest/globals';
import { parseJsonObject } from '../../functions/http/json.ts';
import { findJsonFault } from '../../functions/http/json-fault.ts';

test('integers in lists are read to every digit', () => {
  const text = '{"a":[1,9007199254740993,[7],1.5,{"a":[2]},"3",2.0],"b":1.25,"c":1e-400}';
  expect(parseJsonObject(text)?.members).toEqual({
    a: [1n, 9007199254740993n, [7], 1.5, { a: [2] }, '3', 2n],
    b: 1.25,
    c: Number.NaN,
  });
});

test('a number that would be rounded is read as NaN', () => {
  const text = '{"a":[0.1000000000000000055511151231257827]}';
  expect(parseJsonObject(text)?.members).toEqual({ a: [Number.NaN] });
});

test('an integer of up to 19 digits is exact, and a longer one is one of 20 digits', () => {
  const text =
    '{"a":1e18,"b":-9223372036854775809.0,"c":0.07e2,"d":-0.0,"e":0e99,"f":1e19,"g":-2e400,"h":100e-2}';
  expect(parseJsonObject(text)?.members).toEqual({
    a: 10n ** 18n,
    b: -9223372036854775809n,
    c: 7n,
    d: 0n,
    e: 0n,
    f: 10n ** 19n,
    g: -(10n ** 19n),
    h: 1n,
  });
});

test.each([
  { number: '0.000000000001', value: 1e-12 },
  { number: '0.123456789012345', value: 0.123456789012345 },
  { number: '0.1234567890123456', value: Number.NaN },
])('the decimal $number is read as $value', ({ number, value }) => {
  expect(parseJsonObject(`{"a":${number}}`)?.members).toEqual({ a: value });
});

test.each([
  { text: '{"id":1,"\\u0069d":1}', repeated: ['id'] },
  { text: '{"a":{"id":1},"id":1,"b":[{"id":2,"id":3}]}', repeated: [] },
  { text: '{"a":"{\\"a\\":1}","b":"a\\\\","c":"\\""}', repeated: [] },
  { text: '{"":1,"":2,"a":[[],{}],"a":{}}', repeated: ['', 'a'] },
  { text: '{"id":1,"id":2,"id":3}', repeated: ['id'] },
])('the repeated members of $text are $repeated', ({ text, repeated }) => {
  expect(parseJsonObject(text)?.repeated).toEqual(repeated);
});

/** Texts with a mark where they stop being JSON. */
const marked = [
  '▸',
  ' ▸',
  '{▸',
  '{"id":1▸',
  '{"id":1,▸}',
  '{▸,"id":1}',
  '{"id":1 ▸"name":"a"}',
  '{"id" ▸1}',
  '{"id":▸,"name":"a"}',
  '{▸id:1}',
  '{"id":0▸1}',
  '{"id":1▸.}',
  '{"id":▸tru}',
  '{"id":1}▸x',
  '{"id":1}▸}',
  '[1,2▸}',
  '{"a":[1,{"b":2},▸]}',
  '{"name":▸"a',
  '{"name":▸"a\nb"}',
  '{"name":▸"\\x"}',
  '{"name":▸"\\u12"}',
  '{"name":"🪴🪴" ▸7}',
  '{\n  "id": 1,\r\n  "name": ▸plant\n}',
  '[{"a":[-20.25E+33,1e5,true,null,"\\u00e9\\n"]},0,{},[]]\t▸',
];
test.each(marked)('where it stops is found in %j', (text) => {
  const [before = '', after] = text.split('▸');
  const lines = before.split('\n');
  const column = [...`${lines.at(-1)}`].length + 1;
  expect(findJsonFault(`${before}${after}`)).toEqual({ line: lines.length, column });
});
