import { isUtf8 } from 'node:buffer';
import { expect, test } from '@jest/globals';
import { findPlaces } from '../support/openapi/description.ts';
import { makeBody, makeFields } from '../support/plant.ts';
import {
  type ApiResponse,
  ask,
  create,
  type Header,
  json,
  list,
  readCode,
  remove,
} from './api-client.ts';
import { isDeployed, isSam } from './tested-store.ts';

// Requests that return 400, 413 or 415, with the places of all their errors: `#` and a pointer into
// the body, `?` and a parameter, or a header and a colon.

const good = makeBody(1);
/** Returns a good body with more members at its start or its end. */
const before = (more: string) => good.replace('{', `{${more},`);
const after = (more: string) => good.replace('}', `,${more}}`);
const kib16 = 16 * 1024;
const post = (body: string | Buffer, headers = [json], query = '') =>
  ask(`POST /plants${query}`, { headers, body });
const outcome = (response: ApiResponse) => [
  response.status,
  readCode(response),
  ...findPlaces(response.body),
];
const invalid = (...places: string[]) => [400, 'invalid-request', ...places.sort()];

/**
 * The rows of a table to run. Events of SAM CLI can differ in their shape, which the last three
 * rows show, but not in the parsing of their text.
 */
const chooseRows = <Row>(table: Row[]): Row[] => (isSam ? table.slice(-3) : table);

/** Returns a value for the name of a test: on one line, and shortened. */
const shortenTitle = (value: string) => {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 30)}… (${value.length} characters)` : text;
};

const wholeBody = [
  '{',
  '{"id":1,"name":"a"}x',
  '{"id":1,"name":"a",}',
  '{"id":01,"name":"a"}',
  '{"id":1,"name":"a\nb"}',
  '\uFEFF{"id":1,"name":"a"}',
  // JSON, but not an object.
  'null',
  '1',
  '[]',
  '[{"id":1,"name":"a"}]',
  // As deep and long as fits.
  '['.repeat(kib16),
  '{"a":'.repeat(kib16 / 5),
  `"${'\\'.repeat(kib16 - 1)}`,
  '['.repeat(kib16 / 2) + ']'.repeat(kib16 / 2),
  `"${'a'.repeat(kib16 - 2)}"`,
  // Nothing, and white space.
  '',
  ' ',
].map((body) => [shortenTitle(body), body]);
test.each(chooseRows(wholeBody))('a create returns 400 for the whole body %s', async (_, body) => {
  expect(outcome(await post(`${body}`))).toEqual(invalid('#'));
});

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
/** The number and place of their errors depend on the gateway. */
const notUtf8: [what: string, body: Buffer][] = [
  ['a byte of Latin-1', latin1('{"id":1,"name":"caf\xE9"}')],
  ['a sequence cut short', latin1('{"id":1,"name":"\xF0\x9F"}')],
  ['a surrogate in UTF-8', latin1('{"id":1,"name":"\xED\xA0\x80"}')],
  ['a byte of Latin-1 between members', latin1('{"id":1\xA0,"name":"a"}')],
  ['UTF-16, little end first', utf16(`\uFEFF${good}`)],
  ['UTF-16 without a mark', utf16(good)],
  ['gzip', Buffer.from('1f8b0800000000000003ab564acb2f525288aee6020043a1fd0d08000000', 'hex')],
];
// SAM CLI fails before it calls a function, unless the bytes happen to be UTF-8.
const sentBytes = isSam ? notUtf8.filter(([, body]) => isUtf8(body)) : notUtf8;
test.each(sentBytes)('a create returns 400 for a body that is not UTF-8: %s', async (_, body) => {
  expect(outcome(await post(body)).slice(0, 2)).toEqual([400, 'invalid-request']);
});

/** Invalid values of the members of a plant. */
const values: [member: 'id' | 'name' | 'tag', literals: string[]][] = [
  [
    'id',
    [
      ...['null', 'true', '"1"', '"9223372036854775807"', '[1]', '{"a":1}', '0.5', '-1.5', '1e-1'],
      ...['1e-400', '1.0000000000000000000000001', '9223372036854775808', '-9223372036854775809'],
      ...['9223372036854775807.5', '1e400', '-1e400', '1e99999999999999999999'],
      ...['9'.repeat(16_000), `0.${'1'.repeat(16_000)}`, `1e${'9'.repeat(16_000)}`],
      `${'['.repeat(8000)}1${']'.repeat(8000)}`,
    ],
  ],
  ['name', ['null', '1', '[]', '""', `"${'a'.repeat(201)}"`, `"${'🪴'.repeat(201)}"`]],
  ['tag', ['null', '1', '{}', `"${'a'.repeat(101)}"`, `"${'🪴'.repeat(101)}"`]],
];
/** Returns a body with the JSON of these members and good values of the others. */
function bodyWith(literals: Record<string, string>): string {
  const good = Object.entries({ id: 1, ...makeFields() });
  const members = good.map(
    ([name, value]) => `"${name}":${literals[name] ?? JSON.stringify(value)}`,
  );
  return `{${members}}`;
}
const wrongValues = values.flatMap(([member, literals]) =>
  literals.map((literal) => [member, shortenTitle(literal), literal] as const),
);
test.each(chooseRows(wrongValues))(
  'a create returns 400 for the %s %s',
  async (member, _, literal) => {
    expect(outcome(await post(bodyWith({ [member]: literal })))).toEqual(invalid(`#/${member}`));
  },
);

const unfit: [what: string, texts: string[]][] = [
  ['an escaped control character', ['\\u0000', 'a\\u001fb', '\\n', '\\u007f', '\\u009f']],
  ['a control character as it is', ['\u007F', '\u0085', '\u009F']],
  ['U+FFFD', ['\uFFFD', '\\uFFFD', 'a\uFFFDb']],
  ['a lone surrogate', ['\\ud83e', '\\ud83ea', '\\ud83e\\ud83e\\udeb4', '\\udeb4\\ud83e']],
];
test.each(chooseRows(unfit))('neither a name nor a tag may contain %s', async (_, texts) => {
  for (const text of texts) {
    const response = await post(bodyWith({ name: `"${text}"`, tag: `"${text}"` }));
    expect([text, ...outcome(response)]).toEqual([text, ...invalid('#/name', '#/tag')]);
  }
});

const members: [what: string, body: string, pointers: string[]][] = [
  ['no members', '{}', ['/id', '/name']],
  ['all members wrong', '{"id":{},"name":{},"tag":{}}', ['/id', '/name', '/tag']],
  ['a wrong id, and a misspelt name', '{"id":"1","nmae":"a"}', ['/id', '/name', '/nmae']],
  ['an unknown name in capitals', after('"ID":1'), ['/ID']],
  ['an unknown name of two code units', after('"🪴":1'), ['/🪴']],
  ['an unknown name with ~ and /', after('"a/b~1":1'), ['/a~1b~01']],
  ['an unknown name that is empty', after('"":1'), ['/']],
  ['an unknown name with a line end', after('"\\n":1'), ['/\n']],
  ['a prototype', after('"__proto__":{"tag":"b"}'), ['/__proto__']],
  ['an id twice', before('"id":1'), ['/id']],
  ['an id twice, once wrong', before('"id":{}'), ['/id']],
  ['an unknown member twice', after('"x":1,"x":1'), ['/x']],
  ['an id twice, once escaped', before('"\\u0069d":1'), ['/id']],
  ['brackets in repeated names', after('"name":"{","name":"[","id":1'), ['/id', '/name']],
];
test.each(chooseRows(members))('a create returns 400 for %s', async (_, body, pointers) => {
  expect(outcome(await post(body))).toEqual(invalid(...pointers.map((pointer) => `#${pointer}`)));
});

test('a create with 500 unknown members returns 400 and names each', async () => {
  const names = Array.from({ length: 500 }, (_, i) => `m${i}`);
  const body = after(`${names.map((name) => `"${name}":1`)}`);
  expect(outcome(await post(body))).toEqual(invalid(...names.map((name) => `#/${name}`)));
});

const type = 'Content-Type';
const encoding = 'Content-Encoding';
const badTypes = [
  'text/plain',
  'application/json5',
  'application/ld+json',
  'xapplication/json',
  'application/json charset=utf-8',
  'application/json, application/json',
];
const ofType = (value: string): Header => [type, value];
const encoded = (value: string): Header => [encoding, value];
const badHeaders: { headers: Header[]; wrong: string[] }[] = [
  ...badTypes.map((value) => ({ headers: [ofType(value)], wrong: [type] })),
  ...['br', 'gzip, br', 'x'].map((value) => ({
    headers: [json, encoded(value)],
    wrong: [encoding],
  })),
  { headers: [json, ['content-encoding', 'identity']], wrong: [encoding] },
];
/** The front end of AWS may change or reject a create with such headers. */
const oddHeaders: typeof badHeaders = [
  { headers: [json, ofType('a/b')], wrong: [type] },
  { headers: [json, encoded('gzip')], wrong: [encoding] },
  { headers: [], wrong: [type] },
  { headers: [encoded('x')], wrong: [encoding, type] },
];
const sentHeaders = isDeployed ? badHeaders : chooseRows([...badHeaders, ...oddHeaders]);
test.each(sentHeaders)('a create returns 415 for the headers $headers', async (row) => {
  const places = row.wrong.map((name) => `${name}:`);
  const response = await ask('POST /plants', { headers: row.headers, body: good });
  expect(outcome(response)).toEqual([415, 'unsupported-media-type', ...places]);
});

test.each([
  ['16 KiB and a byte of spaces', ' '.repeat(kib16 + 1)],
  ['fewer characters than 16 KiB, but more bytes', 'é'.repeat(kib16 / 2 + 1)],
])('a create returns 413 for a body that is too large: %s', async (_, body) => {
  expect(outcome(await post(body))).toEqual([413, 'content-too-large']);
});

const badLimits = [
  ...['', '0', '00', '01', '-1', '-0', '+1', '%2B1', '1.0', '1e2', '0x10', '1%20', '%201', '1%0A'],
  ...['%D9%A1', 'ten', '2147483648', '99999999999999999999', '9'.repeat(1000)],
];
// A good cursor is 1AAAAAAAAAAc.
const badCursors = [
  ...['', 'x', '7', '1AAAAAAAAAA', '2AAAAAAAAAAc', '11AAAAAAAAAAc', '1AAAAAAAAAAcA'],
  ...['1AAAAAAAAAAc%3D', '%201AAAAAAAAAAc', '1AAAAAAAAAAc%0A', '1AAAAAAAAA%2Bc'],
  // The last character has two bits that belong to no byte.
  '1AAAAAAAAAAd',
];
const badQueries: [query: string, parameters: string[]][] = [
  ...badLimits.map((limit): [string, string[]] => [`limit=${limit}`, ['limit']]),
  ...badCursors.map((cursor): [string, string[]] => [`cursor=${cursor}`, ['cursor']]),
  ['limit', ['limit']],
  ['limit=1&limit=1', ['limit']],
  ['limit==1', ['limit']],
  ['Limit=5', ['Limit']],
  ['limit%20=5', ['limit ']],
  ['owner=bob', ['owner']],
  ['__proto__=1', ['__proto__']],
  ['a', ['a']],
  ['a=1&a=2', ['a']],
  ['limit=0&cursor=x&page=2', ['limit', 'cursor', 'page']],
];
const queryRows = chooseRows(badQueries).map(
  ([query, wrong]) => [shortenTitle(query), query, wrong] as const,
);
test.each(queryRows)('a list returns 400 for the query %s', async (_, query, parameters) => {
  const places = parameters.map((name) => `?${name}`);
  expect(outcome(await list(query))).toEqual(invalid(...places));
});

/** Invalid even if the gateway decodes them. */
const badIds = [
  ...['00', '01', '-0', '-01', '+7', '%2B7', '7.0', '7.', '7e0', '0x7', '7n', '7_0', '7,0', '--7'],
  ...['-', '7-', '%207', '7%20', '7%0A', '%227%22', '*', 'a', 'null', '%7Bid%7D', '7.json', '7&8'],
  ...['9223372036854775808', '-9223372036854775809', '99999999999999999999', '1'.repeat(4000)],
  // Other digits and minus signs.
  ...['%D9%A7', '%EF%BC%97', '%F0%9F%AA%B4', '%E2%88%927'],
];
const idRows = chooseRows(badIds).map((id) => [shortenTitle(id), id]);
test.each(idRows)('a delete returns 400 for the id %s', async (_, id) => {
  expect(outcome(await remove(id))).toEqual(invalid('?id'));
});

const text: Header = [type, 'text/plain'];
const large = 'x'.repeat(20_000);
test.each<[what: string, ask: () => Promise<ApiResponse>, expected: unknown[]]>([
  [
    'the query of a create',
    () => post(good, [json], '?limit=1&dry_run=true'),
    invalid('?limit', '?dry_run'),
  ],
  ['id and query together', () => remove('01?id=1&x'), invalid('?id', '?x')],
  [
    'body and query together',
    () => post('{"id":"1","nmae":"a"}', [json], '?x=1'),
    invalid('#/id', '#/name', '#/nmae', '?x'),
  ],
  ['no object, and the query', () => post('[]', [json], '?x=1'), invalid('#', '?x')],
  ['its size alone', () => post(large, [json], '?x=1'), [413, 'content-too-large']],
  [
    'its media type alone, before its size',
    () => post(large, [text], '?x=1'),
    [415, 'unsupported-media-type', 'Content-Type:'],
  ],
])('an error names %s', async (_, request, expected) => {
  expect(outcome(await request())).toEqual(expected);
});

test('a rejected create stores nothing', async () => {
  await post(after('"x":1'));
  await post(good, [json], '?x=1');
  await post(good, [text]);
  expect((await list()).body).toBe('[]');
  // The id is still free.
  expect((await create(good)).status).toBe(201);
});
