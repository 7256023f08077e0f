import { words } from '../../support/words.ts';

/**
 * Bodies of a create that are refused with 400, with a JSON pointer to each fault (`''` is the
 * whole body). If the body is not UTF-8, the pointers depend on the gateway.
 */
export type BadBody = [what: string, body: string | Buffer, pointers: string[] | undefined];

const whole = [''];
const json = (id: string, name: string, tag?: string) =>
  `{"id":${id},"name":${name}${tag === undefined ? '' : `,"tag":${tag}`}}`;
const good = '"id":1,"name":"a"';
const kib16 = 16 * 1024;

const notJson: BadBody[] = [
  ['nothing', '', whole],
  ['a space', ' ', whole],
  ['a word', 'plant', whole],
  ['an open brace', '{', whole],
  ['a closing brace', '}', whole],
  ['an object cut short', `{${good}`, whole],
  ['an object and more', `{${good}}x`, whole],
  ['two objects', `{${good}} {${good}}`, whole],
  ['a comma at the end', `{${good},}`, whole],
  ['a comma at the start', `{,${good}}`, whole],
  ['no comma', '{"id":1 "name":"a"}', whole],
  ['no colon', '{"id" 1,"name":"a"}', whole],
  ['no value', '{"id":,"name":"a"}', whole],
  ['names without quotes', '{id:1,name:"a"}', whole],
  ['single quotes', "{'id':1,'name':'a'}", whole],
  ['a comment', `{${good}/* a plant */}`, whole],
  ['a line comment', `{${good}}// a plant`, whole],
  ['form data', 'id=1&name=a', whole],
  ['XML', '<plant id="1" name="a"/>', whole],
  ['YAML', 'id: 1\nname: a', whole],
  ['NaN', json('NaN', '"a"'), whole],
  ['Infinity', json('Infinity', '"a"'), whole],
  ['undefined', json('undefined', '"a"'), whole],
  ['True', json('1', 'True'), whole],
  ['a hexadecimal number', json('0x1', '"a"'), whole],
  ['a number with a plus', json('+1', '"a"'), whole],
  ['a number with a leading zero', json('01', '"a"'), whole],
  ['a number with nothing before the point', json('.5', '"a"'), whole],
  ['a number with nothing after the point', json('5.', '"a"'), whole],
  ['a number with an empty exponent', json('1e', '"a"'), whole],
  ['a minus alone', json('-', '"a"'), whole],
  ['a number with an underscore', json('1_000', '"a"'), whole],
  ['a number with an n', json('1n', '"a"'), whole],
  ['a string cut short', '{"id":1,"name":"a', whole],
  ['a string with a line feed', json('1', '"a\nb"'), whole],
  ['a string with a tab', json('1', '"a\tb"'), whole],
  ['a string with a NUL', json('1', '"a\0b"'), whole],
  ['an unknown escape', json('1', '"\\x41"'), whole],
  ['an escape cut short', json('1', '"\\u12"'), whole],
  ['an escape of a line feed', json('1', '"a\\\nb"'), whole],
  ['a no-break space between members', `{"id":1,\u00A0"name":"a"}`, whole],
  ['a byte order mark', `\uFEFF{${good}}`, whole],
  ['two byte order marks', `\uFEFF\uFEFF{${good}}`, whole],
  ['a NUL before it', `\0{${good}}`, whole],
  ['a NUL after it', `{${good}}\0`, whole],
  ['as many open brackets as fit', '['.repeat(kib16), whole],
  ['as many open braces as fit', '{'.repeat(kib16), whole],
  ['as many open objects as fit', '{"a":'.repeat(3276), whole],
  ['as many quotation marks as fit', '"'.repeat(kib16), whole],
  ['as many backslashes as fit', `"${'\\'.repeat(kib16 - 1)}`, whole],
];

const noObject: BadBody[] = [
  ['null', 'null', whole],
  ['true', 'true', whole],
  ['a number', '1', whole],
  ['a string', '"a"', whole],
  ['an empty array', '[]', whole],
  ['an array of a plant', `[{${good}}]`, whole],
  ['arrays as deep as fit', '['.repeat(kib16 / 2) + ']'.repeat(kib16 / 2), whole],
  ['a string of 16 KiB', `"${'a'.repeat(kib16 - 2)}"`, whole],
];

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

const otherTypes = words('null true false [] [1] ["a"] {} {"a":1}');
const badIds = words(`
  "1" "" "9223372036854775807"
  0.5 -1.5 1e-1 1.0000000000000000000000001 1e-99999999999999999999 123456789.123456789
  1e20 1e99999999999999999999 -1e99999999999999999999 99999999999999999999999999999999999999999
`);
const badId = (id: string): BadBody => [`the id ${id}`, json(id, '"a"'), ['/id']];
const badName = (name: string): BadBody => [`the name ${name}`, json('1', name), ['/name']];
const badTag = (tag: string): BadBody => [`the tag ${tag}`, json('1', '"a"', tag), ['/tag']];

const nest = (open: string, close: string, most: number) => {
  const depth = Math.floor(most / (open.length + close.length));
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
};
const wrongValues: BadBody[] = [
  ...[...otherTypes, ...badIds].map(badId),
  ...[...otherTypes, '1', '1.5'].map(badName),
  ...[...otherTypes, '1', '1.5'].map(badTag),
  ['an id of 16 000 digits', json('9'.repeat(16_000), '"a"'), ['/id']],
  ['an id of 16 000 zeros', json(`1${'0'.repeat(16_000)}`, '"a"'), ['/id']],
  ['an id with 16 000 decimals', json(`0.${'1'.repeat(16_000)}`, '"a"'), ['/id']],
  ['an exponent of 16 000 digits', json(`1e${'9'.repeat(16_000)}`, '"a"'), ['/id']],
  ['an empty name', json('1', '""'), ['/name']],
  ['a name of 201 letters', json('1', `"${'a'.repeat(201)}"`), ['/name']],
  ['a name of 201 characters of four bytes', json('1', `"${'🪴'.repeat(201)}"`), ['/name']],
  ['a name of 201 accents', json('1', `"${'\u0301'.repeat(201)}"`), ['/name']],
  ['a name of 16 000 letters', json('1', `"${'a'.repeat(16_000)}"`), ['/name']],
  ['a tag of 101 letters', json('1', '"a"', `"${'a'.repeat(101)}"`), ['/tag']],
  ['a tag of 101 characters of four bytes', json('1', '"a"', `"${'🪴'.repeat(101)}"`), ['/tag']],
  ['an id of arrays as deep as fit', json(nest('[', ']', kib16 - 30), '"a"'), ['/id']],
  ['a name of arrays as deep as fit', json('1', nest('[', ']', kib16 - 30)), ['/name']],
  ['a tag of objects as deep as fit', json('1', '"a"', nest('{"a":', '}', kib16 - 40)), ['/tag']],
];

const controls = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i),
];
const escaped = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;
const controlIn =
  (member: 'name' | 'tag') =>
  (code: number): BadBody => [
    `the control character ${escaped(code)} in the ${member}`,
    member === 'name' ? json('1', `"a${escaped(code)}b"`) : json('1', '"a"', `"${escaped(code)}"`),
    [`/${member}`],
  ];
const unfitCharacters: BadBody[] = [
  ...controls.map(controlIn('name')),
  ...[0, 0x09, 0x0a, 0x0d, 0x1f, 0x7f, 0x80, 0x85, 0x9f].map(controlIn('tag')),
  ...['\\n', '\\t', '\\r', '\\b', '\\f'].map(
    (short): BadBody => [`the escape ${short} in the name`, json('1', `"a${short}"`), ['/name']],
  ),
  ['DEL, not escaped', json('1', '"\u007F"'), ['/name']],
  ['a C1 control, not escaped', json('1', '"\u0085"'), ['/name']],
  ['U+FFFD in the name', json('1', '"\uFFFD"'), ['/name']],
  ['U+FFFD in the name, escaped', json('1', '"\\uFFFD"'), ['/name']],
  ['U+FFFD in the tag', json('1', '"a"', '"\uFFFD"'), ['/tag']],
  ['a high surrogate alone', json('1', '"\\ud83e"'), ['/name']],
  ['a low surrogate alone', json('1', '"\\udeb4"'), ['/name']],
  ['surrogates the wrong way round', json('1', '"\\udeb4\\ud83e"'), ['/name']],
  ['two high surrogates', json('1', '"\\ud83e\\ud83e\\udeb4"'), ['/name']],
  ['a high surrogate before a letter', json('1', '"\\ud83ea"'), ['/name']],
  ['a high surrogate alone in the tag', json('1', '"a"', '"\\ud83e"'), ['/tag']],
];

const member = (name: string, pointer = `/${name}`): BadBody => {
  const text = JSON.stringify(name);
  return [`the member ${text}`, `{${good},${text}:1}`, [pointer]];
};
const unknownNames = words(`
  ID Name TAG names tags owner price _id $id na\u200Bme 🪴 0
  __proto__ constructor prototype toString valueOf hasOwnProperty __defineGetter__
`);
const numbers = Array.from({ length: 500 }, (_, i) => i);
const unknownMembers: BadBody[] = [
  ...['id ', ' name', ...unknownNames].map((name) => member(name)),
  member('', '/'),
  member('/', '/~1'),
  member('~', '/~0'),
  member('~1', '/~01'),
  member('a/b~c', '/a~1b~0c'),
  member('id/name', '/id~1name'),
  member('"', '/"'),
  member('\n', '/\n'),
  ['the member __proto__, with members', `{${good},"__proto__":{"tag":"b"}}`, ['/__proto__']],
  ['a lone surrogate as a member', `{${good},"\\ud83e":1}`, ['/\uFFFD']],
  [
    '500 unknown members',
    `{${good},${numbers.map((i) => `"m${i}":${i}`)}}`,
    numbers.map((i) => `/m${i}`),
  ],
];

const repeated: BadBody[] = [
  ['the id twice', `{"id":1,${good}}`, ['/id']],
  ['the id twice, once escaped', `{"\\u0069d":1,${good}}`, ['/id']],
  ['the id three times', `{"id":1,"id":2,${good}}`, ['/id']],
  ['the name twice', `{${good},"name":"a"}`, ['/name']],
  ['the name twice, first with a fault', '{"id":1,"name":7,"name":"a"}', ['/name']],
  ['the tag twice', `{"tag":"",${good},"tag":""}`, ['/tag']],
  ['an unknown member twice', `{${good},"x":1,"x":1}`, ['/x']],
  ['__proto__ twice', `{${good},"__proto__":1,"__proto__":1}`, ['/__proto__']],
  ['everything twice', `{${good},"tag":"",${good},"tag":""}`, ['/id', '/name', '/tag']],
];

const missing: BadBody[] = [
  ['nothing in it', '{}', ['/id', '/name']],
  ['only an id', '{"id":1}', ['/name']],
  ['only a name', '{"name":"a"}', ['/id']],
  ['only a tag', '{"tag":"b"}', ['/id', '/name']],
  ['an id and a tag', '{"id":1,"tag":"b"}', ['/name']],
  ['a plant inside', `{"plant":{${good}}}`, ['/id', '/name', '/plant']],
];

const several: BadBody[] = [
  ['a fault in every member', json('"1"', '""', 'null'), ['/id', '/name', '/tag']],
  [
    'a fault in every member, and one too many',
    '{"id":1.5,"name":"\\n","tag":7,"Tag":""}',
    ['/id', '/name', '/tag', '/Tag'],
  ],
  ['a member missing and one misspelt', '{"id":1,"nmae":"a"}', ['/name', '/nmae']],
  ['two faults in one member', json('1', `"${'a'.repeat(201)}\\n"`), ['/name']],
  ['repeated and wrong', '{"id":"1","id":"1","name":"a"}', ['/id']],
];

export const badBodies: BadBody[] = [
  ...notJson,
  ...noObject,
  ...notUtf8,
  ...wrongValues,
  ...unfitCharacters,
  ...unknownMembers,
  ...repeated,
  ...missing,
  ...several,
];
