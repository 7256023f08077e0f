import { words } from '../../support/words.ts';

/**
 * Bodies of a create that are refused with 400, with a JSON pointer to each fault (`''` is the
 * whole body). If the body is not UTF-8, the pointers depend on the gateway.
 */
export type BadBody = [what: string, body: string | Buffer, pointers: string[] | undefined];

const json = (id: string, name: string) => `{"id":${id},"name":${name}}`;
const good = '"id":1,"name":"a"';
const kib16 = 16 * 1024;

/** Bodies with one fault: the whole. */
const notObjects: BadBody[] = [
  ...['', ' ', 'plant', '{', '}', 'id=1&name=a', '<plant id="1" name="a"/>', 'id: 1\nname: a'],
  ...[`{${good}`, `{${good}}x`, `{${good}} {${good}}`, `{${good},}`, `{,${good}}`],
  ...['{"id":1 "name":"a"}', '{"id" 1,"name":"a"}', '{"id":,"name":"a"}', '{"id":1,"name":"a'],
  ...['{id:1,name:"a"}', "{'id':1,'name':'a'}", `{${good}/* a plant */}`, `{${good}}// a plant`],
  ...words('NaN Infinity undefined 0x1 +1 01 .5 5. 1e - 1_000 1n').map((id) => json(id, '"a"')),
  ...['True', '"a\nb"', '"a\tb"', '"a\0b"', '"\\x41"', '"\\u12"', '"a\\\nb"'].map((name) =>
    json('1', name),
  ),
  // A no-break space between members, byte order marks, and NUL before and after.
  ...[`{"id":1,\u00A0"name":"a"}`, `\uFEFF{${good}}`, `\uFEFF\uFEFF{${good}}`],
  ...[`\0{${good}}`, `{${good}}\0`],
  // Other values.
  ...['null', 'true', '1', '"a"', '[]', `[{${good}}]`],
  // As many as fit.
  ...['[', '{', '{"a":', '"'].map((open) => open.repeat(kib16 / open.length)),
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
  values.map((value): BadBody => {
    const members = Object.entries({ id: '1', name: '"a"', [member]: value });
    const body = `{${members.map(([name, text]) => `"${name}":${text}`)}}`;
    return [`the ${member} ${value.slice(0, 40)}`, body, [`/${member}`]];
  });
const otherTypes = words('null true false [] [1] ["a"] {} {"a":1}');
const nest = (open: string, close: string, most: number) => {
  const depth = Math.floor(most / (open.length + close.length));
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
};
const badIds = [
  ...words(`
    "1" "" "9223372036854775807"
    0.5 -1.5 1e-1 1.0000000000000000000000001 1e-99999999999999999999 123456789.123456789
    1e20 1e99999999999999999999 -1e99999999999999999999 99999999999999999999999999999999999999999
  `),
  ...['9'.repeat(16_000), `1${'0'.repeat(16_000)}`, `0.${'1'.repeat(16_000)}`],
  ...[`1e${'9'.repeat(16_000)}`, nest('[', ']', kib16 - 30)],
];

const escaped = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;
const controls = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i),
].map((code) => `"a${escaped(code)}b"`);
// As they are, escaped, and what was not UTF-8.
const unfit = ['"\u007F"', '"\u0085"', '"\uFFFD"', '"\\uFFFD"'];
const surrogates = words('"\\ud83e" "\\udeb4" "\\udeb4\\ud83e" "\\ud83e\\ud83e\\udeb4" "\\ud83ea"');
const badTexts = [
  ...['1', '1.5', ...controls, ...unfit, ...surrogates],
  ...words('"a\\n" "a\\t" "a\\r" "a\\b" "a\\f"'),
];
const tooLong = (most: number) =>
  ['a', '🪴', '\u0301'].map((character) => `"${character.repeat(most + 1)}"`);

const wrongValues: BadBody[] = [
  ...refused('id', [...otherTypes, ...badIds]),
  ...refused('name', [...otherTypes, ...badTexts, ...tooLong(200)]),
  ...refused('name', ['""', `"${'a'.repeat(16_000)}"`, nest('[', ']', kib16 - 30)]),
  ...refused('tag', [...otherTypes, ...badTexts, ...tooLong(100), nest('{"a":', '}', kib16 - 40)]),
];

const unknownNames = [
  ...words(`
    ID Name TAG names tags owner price _id $id na\u200Bme 🪴 0 / ~ ~1 a/b~c id/name "
    __proto__ constructor prototype toString valueOf hasOwnProperty __defineGetter__
  `),
  ...['id ', ' name', '', '\n'],
];
const unknown = (...names: string[]): [body: string, ...pointers: string[]] => [
  `{${good},${names.map((name) => `${JSON.stringify(name)}:1`)}}`,
  ...names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
];

/** Members that are unknown, repeated, missing or wrong together. */
const wrongMembers = [
  ...unknownNames.map((name) => unknown(name)),
  unknown(...Array.from({ length: 500 }, (_, i) => `m${i}`)),
  [`{${good},"__proto__":{"tag":"b"}}`, '/__proto__'],
  // A lone surrogate.
  [`{${good},"\\ud83e":1}`, '/\uFFFD'],
  [`{"id":1,${good}}`, '/id'],
  [`{"\\u0069d":1,${good}}`, '/id'],
  [`{${good},"name":"a"}`, '/name'],
  ['{"id":1,"name":7,"name":"a"}', '/name'],
  [`{"tag":"",${good},"tag":""}`, '/tag'],
  [`{${good},"x":1,"x":1}`, '/x'],
  [`{${good},"__proto__":1,"__proto__":1}`, '/__proto__'],
  [`{${good},"tag":"",${good},"tag":""}`, '/id', '/name', '/tag'],
  ['{}', '/id', '/name'],
  ['{"id":1}', '/name'],
  ['{"name":"a"}', '/id'],
  [`{"plant":{${good}}}`, '/id', '/name', '/plant'],
  ['{"id":"1","name":"","tag":null}', '/id', '/name', '/tag'],
  ['{"id":1.5,"name":"\\n","tag":7,"Tag":""}', '/id', '/name', '/tag', '/Tag'],
  ['{"id":1,"nmae":"a"}', '/name', '/nmae'],
  [json('1', `"${'a'.repeat(201)}\\n"`), '/name'],
].map(([body = '', ...pointers]): BadBody => [body.slice(0, 60), body, pointers]);

export const badBodies: BadBody[] = [...notObjects, ...notUtf8, ...wrongValues, ...wrongMembers];
