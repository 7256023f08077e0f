import { judgeBody } from '../../support/openapi/second-opinion.ts';
import { type Content, fieldNames, label, sent, whole } from '../../support/plant.ts';
import { boundsOf, candidatesOf, nest, otherTypes } from './wrong-values.ts';

/**
 * Bodies of a create that are refused with 400, with a JSON pointer to each fault (`''` is the
 * whole body). If the body is not UTF-8, the pointers depend on the gateway.
 */
export type BadBody = [what: string, body: string | Buffer, pointers: string[] | undefined];

/** The members of a good body, as JSON writes them. */
const literals: Record<string, string> = Object.fromEntries(
  Object.entries(JSON.parse(sent(1))).map(([name, value]) => [name, JSON.stringify(value)]),
);
const bodyOf = (members: Record<string, string>) =>
  `{${Object.entries(members).map(([name, literal]) => `"${name}":${literal}`)}}`;
const json = (id: string, text: string) => bodyOf({ ...literals, id, [label]: text });
const good = bodyOf(literals).slice(1, -1);
const kib16 = 16 * 1024;

/** Bodies with one fault: the whole. */
const notObjects: BadBody[] = [
  '',
  ' ',
  'plant',
  '{',
  '}',
  'id=1&name=a',
  '<plant id="1" name="a"/>',
  'id: 1\nname: a',
  `{${good}`,
  `{${good}}x`,
  `{${good}} {${good}}`,
  `{${good},}`,
  `{,${good}}`,
  '{"id":1 "name":"a"}',
  '{"id" 1,"name":"a"}',
  '{"id":,"name":"a"}',
  '{"id":1,"name":"a',
  '{id:1,name:"a"}',
  "{'id':1,'name':'a'}",
  `{${good}/* a plant */}`,
  `{${good}}// a plant`,
  // Numbers that JSON does not have.
  json('NaN', '"a"'),
  json('Infinity', '"a"'),
  json('undefined', '"a"'),
  json('0x1', '"a"'),
  json('+1', '"a"'),
  json('01', '"a"'),
  json('.5', '"a"'),
  json('5.', '"a"'),
  json('1e', '"a"'),
  json('-', '"a"'),
  json('1_000', '"a"'),
  json('1n', '"a"'),
  // Texts and words that JSON does not have.
  json('1', 'True'),
  json('1', '"a\nb"'),
  json('1', '"a\tb"'),
  json('1', '"a\0b"'),
  json('1', '"\\x41"'),
  json('1', '"\\u12"'),
  json('1', '"a\\\nb"'),
  // A no-break space between members, byte order marks, and NUL before and after.
  `{"id":1,\u00A0"name":"a"}`,
  `\uFEFF{${good}}`,
  `\uFEFF\uFEFF{${good}}`,
  `\0{${good}}`,
  `{${good}}\0`,
  // Other values.
  'null',
  'true',
  '1',
  '"a"',
  '[]',
  `[{${good}}]`,
  // As many as fit.
  '['.repeat(kib16),
  '{'.repeat(kib16),
  '{"a":'.repeat(kib16 / 5),
  '"'.repeat(kib16),
  `"${'\\'.repeat(kib16 - 1)}`,
  '['.repeat(kib16 / 2) + ']'.repeat(kib16 / 2),
  `"${'a'.repeat(kib16 - 2)}"`,
].map((body) => [JSON.stringify(body).slice(0, 40), body, ['']]);

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const notUtf8: BadBody[] = Object.entries({
  'a byte of Latin-1 in the name': latin1(json('1', '"caf\xE9"')),
  'a continuation byte alone': latin1(json('1', '"\x80"')),
  'a sequence cut short': latin1(json('1', '"\xF0\x9F"')),
  'an overlong solidus': latin1(json('1', '"\xC0\xAF"')),
  'a surrogate in UTF-8': latin1(json('1', '"\xED\xA0\x80"')),
  'a code point past the last': latin1(json('1', '"\xF4\x90\x80\x80"')),
  'the bytes FE and FF': latin1(json('1', '"\xFE\xFF"')),
  'a byte of Latin-1 between members': latin1(`{${good}\xA0}`),
  'UTF-16, little end first': utf16(`\uFEFF{${good}}`),
  'UTF-16, big end first': utf16(`\uFEFF{${good}}`).swap16(),
  'UTF-16 without a mark': utf16(`{${good}}`),
  gzip: Buffer.from('1f8b0800000000000003ab564acb2f525288aee6020043a1fd0d08000000', 'hex'),
}).map(([what, body]) => [what, body, undefined]);

/** Bodies in which only one member has a fault. */
const refused = (member: string, values: string[]) =>
  values.map(
    (value): BadBody => [
      `the ${member} ${value.slice(0, 40)}`,
      bodyOf({ ...literals, [member]: value }),
      [`/${member}`],
    ],
  );
const badIds = [
  '"1"',
  '""',
  '"9223372036854775807"',
  '0.5',
  '-1.5',
  '1e-1',
  '1.0000000000000000000000001',
  '1e-99999999999999999999',
  '123456789.123456789',
  '1e20',
  '1e99999999999999999999',
  '-1e99999999999999999999',
  '99999999999999999999999999999999999999999',
  '9'.repeat(16_000),
  `1${'0'.repeat(16_000)}`,
  `0.${'1'.repeat(16_000)}`,
  `1e${'9'.repeat(16_000)}`,
  nest('[', ']', kib16 - bodyOf({ ...literals, id: '' }).length),
];

/** Wrong values of a field, by what the document says of it. */
const wrongValuesOf = (name: keyof Content): BadBody[] =>
  candidatesOf(boundsOf[name]).flatMap((literal): BadBody[] => {
    const body = bodyOf({ ...literals, [name]: literal });
    const verdict = judgeBody('createPlant', asJson, undefined, Buffer.from(body));
    if (!('places' in verdict)) {
      return [];
    }
    const pointers = verdict.places.map((place) => place.slice(1));
    return [[`the ${name} ${literal.slice(0, 40)}`, body, pointers]];
  });
const asJson = [{ value: 'application/json', isJson: true }];

const wrongValues: BadBody[] = [
  ...refused('id', [...otherTypes.filter((literal) => !/^-?1$/.test(literal)), ...badIds]),
  ...fieldNames.flatMap(wrongValuesOf),
];

const unknownNames = [
  'ID',
  'Name',
  'TAG',
  'names',
  'tags',
  'owner',
  'price',
  '_id',
  '$id',
  'na\u200Bme',
  '🪴',
  '0',
  '/',
  '~',
  '~1',
  'a/b~c',
  'id/name',
  '"',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  'id ',
  ' name',
  '',
  '\n',
];
const unknown = (...names: string[]): [body: string, ...pointers: string[]] => [
  `{${good},${names.map((name) => `${JSON.stringify(name)}:1`)}}`,
  ...names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
];

const pointersTo = (names: string[]) => names.map((name) => `/${name}`);
const required = Object.keys(literals);
const all = Object.fromEntries(
  Object.entries({ id: 1, ...whole }).map(([name, value]) => [name, JSON.stringify(value)]),
);
const every = bodyOf(all).slice(1, -1);

/** Members that are unknown, repeated, missing or wrong together. */
const wrongMembers = [
  ...unknownNames.filter((name) => !Object.hasOwn(all, name)).map((name) => unknown(name)),
  unknown(...Array.from({ length: 500 }, (_, i) => `m${i}`)),
  [`{${good},"__proto__":{"tag":"b"}}`, '/__proto__'],
  // A lone surrogate.
  [`{${good},"\\ud83e":1}`, '/\uFFFD'],
  [`{"\\u0069d":1,${good}}`, '/id'],
  ...Object.entries(all).map(([name, literal]) => [`{"${name}":${literal},${every}}`, `/${name}`]),
  [`{"id":{},${good}}`, '/id'],
  [`{${good},"x":1,"x":1}`, '/x', '/x'],
  [`{${good},"__proto__":1,"__proto__":1}`, '/__proto__'],
  [`{${every},${every}}`, ...pointersTo(Object.keys(all))],
  ['{}', ...pointersTo(required)],
  ['{"id":1}', ...pointersTo(required.filter((name) => name !== 'id'))],
  [`{"plant":{${good}}}`, ...pointersTo(required), '/plant'],
  [
    bodyOf(Object.fromEntries(Object.keys(all).map((name) => [name, '{}']))),
    ...pointersTo(Object.keys(all)),
  ],
  [`{${good},"Tag":"","nmae":"a"}`, '/Tag', '/nmae'],
].map(([body = '', ...pointers]): BadBody => [body.slice(0, 60), body, [...new Set(pointers)]]);

export const badBodies: BadBody[] = [...notObjects, ...notUtf8, ...wrongValues, ...wrongMembers];
