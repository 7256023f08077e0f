import { expect, test } from '@jest/globals';
import { parseJsonObject } from '../../functions/http/json.ts';

test('an integer is exact in whatever way it is written, and other numbers are as JSON has them', () => {
  const text =
    '{"a":1e18,"b":-9223372036854775809.0,"c":0.07e2,"d":-0,"e":0e99,"f":100e-2,"g":-0.0,' +
    '"h":9007199254740993,"i":1.5,"j":0.07e1,"k":1e-400}';
  expect(parseJsonObject(text)?.members).toEqual({
    a: 10n ** 18n,
    b: -9223372036854775809n,
    c: 7n,
    d: 0n,
    e: 0n,
    f: 1n,
    g: 0n,
    h: 9007199254740993n,
    i: 1.5,
    j: 0.7,
    k: 0,
  });
});

test('an integer of more digits than an int64 has is one of 20 digits', () => {
  const text = `{"a":1e19,"b":-2e400,"c":5e999999999999,"d":${'9'.repeat(5000)}}`;
  expect(parseJsonObject(text)?.members).toEqual({
    a: 10n ** 19n,
    b: -(10n ** 19n),
    c: 10n ** 19n,
    d: 10n ** 19n,
  });
});

test('what is in lists, objects and texts is left alone', () => {
  const text = '{"a":[1,{"b":2}],"c":{"d":3},"e":"{\\"f\\":4}","g":"a\\\\","h":"\\"","i":null}';
  expect(parseJsonObject(text)).toEqual({ members: JSON.parse(text), repeated: [] });
});

test.each([
  { text: '{"id":1,"\\u0069d":1}', repeated: ['id'] },
  { text: '{"a":{"id":1},"id":1,"b":[{"id":2,"id":3}]}', repeated: [] },
  { text: '{"":1,"":2,"a":[[],{}],"a":{}}', repeated: ['', 'a'] },
  { text: '{"id":1,"id":2,"id":3}', repeated: ['id'] },
  { text: '{"__proto__":1,"__proto__":2}', repeated: ['__proto__'] },
])('the repeated members of $text are $repeated', ({ text, repeated }) => {
  expect(parseJsonObject(text)?.repeated).toEqual(repeated);
});

test('of a repeated member the last value counts', () => {
  expect(parseJsonObject('{"a":1,"a":{},"b":[],"b":2}')?.members).toEqual({ a: {}, b: 2n });
});

test('a member that is called __proto__ is a member like any other', () => {
  const { members = {} } = parseJsonObject('{"__proto__":9007199254740993}') ?? {};
  expect(Object.entries(members)).toEqual([['__proto__', 9007199254740993n]]);
  expect(Object.getPrototypeOf(members)).toEqual(Object.getPrototypeOf({}));
});

test.each(['[]', '[{}]', 'null', '7', '"{}"', 'true'])('%s is not an object', (text) => {
  expect(parseJsonObject(text)).toBeUndefined();
});

test.each(['', '{', '{"a":1,}', '{"a":01}', '{"a":1}}', "{'a':1}"])('%j is not JSON', (text) => {
  expect(() => parseJsonObject(text)).toThrow(SyntaxError);
});
