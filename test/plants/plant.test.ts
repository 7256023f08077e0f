import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { idInPath } from '../../functions/items/item.ts';
import { largestPage } from '../../functions/items/paging.ts';
import { newPlant, plantKind } from '../../functions/plants/plant.ts';
import { maxBodyBytes } from '../../functions/shared/operations.ts';
import { largestContent } from './largest-content.ts';

const messages = (name: string, tag = '') =>
  v.safeParse(newPlant, { id: 1n, name, tag }).issues?.map(({ message }) => message) ?? [];
const length = expect.stringContaining('code points');
const unicode = expect.stringContaining('well-formed Unicode');

test.each<[what: string, name: string, tag: string, faults: unknown[]]>([
  ['one code point', 'a', '', []],
  ['200 and 100 code points outside of the basic plane', '🪴'.repeat(200), '🪴'.repeat(100), []],
  ['201 of them', '🪴'.repeat(201), '', [length]],
  ['101 of them in the tag', 'a', '🪴'.repeat(101), [length]],
  ['an empty name', '', '', [length]],
  ['line separators and noncharacters', '\u2028\u2029\uFFFE\u{10FFFF}', '\uFEFF', []],
  ['a C0 control', 'a\u001Fb', '', [unicode]],
  ['a line feed at the end', 'a\n', 'b\n', [unicode, unicode]],
  ['DEL', '\u007F', '', [unicode]],
  ['a C1 control', '\u0085', '', [unicode]],
  ['what was not UTF-8', 'a\uFFFD', '', [unicode]],
  ['a high surrogate alone', '\uD83E', '', [unicode]],
  ['a low surrogate alone', '\uDEB4a', '', [unicode]],
  ['surrogates the wrong way round', '\uDEB4\uD83E', '', [unicode]],
  ['two faults at once', `${'a'.repeat(200)}\0`, '', [length, unicode]],
])('a plant with %s', (_, name, tag, faults) => {
  expect(messages(name, tag)).toEqual(faults);
});

test.each<[text: string, id: bigint]>([
  ['0', 0n],
  ['-1', -1n],
  ['9223372036854775807', 9223372036854775807n],
  ['-9223372036854775808', -9223372036854775808n],
])('the path %s names one plant', (text, id) => {
  expect(v.parse(idInPath, text)).toBe(id);
});

test.each([
  '',
  '-0',
  '00',
  '01',
  '+1',
  '1.0',
  '1e2',
  '0x1',
  ' 1',
  '1\n',
  '١',
  '--1',
  '-',
  '9223372036854775808',
  '-9223372036854775809',
  '1'.repeat(5000),
])('the path %j names none', (text) => {
  expect(v.safeParse(idInPath, text).success).toBe(false);
});

test('every field but the name may be left out, because stored plants may lack it', () => {
  expect(v.safeParse(newPlant, { id: 1n, name: 'Aloe' }).success).toBe(true);
  expect(Object.keys(plantKind.parse({ id: 1n, name: 'Aloe' }))).toEqual([
    'id',
    ...plantKind.fieldNames,
  ]);
});

test('an item without an id, or with a float for one, is an error', () => {
  for (const id of [undefined, 7])
    expect(() => plantKind.parse({ id, name: 'Aloe' })).toThrow('valid id');
});

test('the largest plant fits in a body even if every character of its texts is escaped', () => {
  const escaped = JSON.stringify({ id: `${-(2n ** 63n)}`, ...largestContent }).replaceAll(
    /[^ -~]/g,
    '\\u0000',
  );
  expect(escaped.length).toBeLessThanOrEqual(maxBodyBytes);
});

test('a page of the largest plants is within the 6 MB that Lambda takes as an answer', () => {
  const page = JSON.stringify(Array(largestPage).fill(largestContent));
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(6_000_000);
});
