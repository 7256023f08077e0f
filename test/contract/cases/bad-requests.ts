import { cursorAfter } from '../../../functions/plants/plant.ts';
import { operations } from '../../../functions/shared/operations.ts';
import { fillPath } from '../../support/fill-path.ts';
import { partsOf } from '../../support/openapi/description.ts';
import { label, sent } from '../../support/plant.ts';

type Header = [name: string, value: string];

const cursor = cursorAfter(7n);
const badCursors = [
  '',
  '0',
  'x',
  'next',
  'eyJpZCI6N30',
  '%00',
  'A'.repeat(2000),
  cursor.slice(0, -1),
  cursor.slice(1),
  `2${cursor.slice(1)}`,
  `0${cursor.slice(1)}`,
  `${cursor}A`,
  `${cursor}%3D`,
  `%20${cursor}`,
  `${cursor}%0A`,
  // The last character has two bits that belong to no byte.
  cursor.slice(0, -1) + String.fromCharCode(cursor.charCodeAt(cursor.length - 1) + 1),
  `1${'%2F'.repeat(11)}`,
  `1${'%2B'.repeat(11)}`,
];
const badLimits = [
  '0',
  '00',
  '01',
  '-1',
  '-0',
  '+1',
  '%2B1',
  '1.0',
  '1.',
  '1e2',
  '0x10',
  '1_0',
  '1%20',
  '%201',
  '%09',
  '1%0A',
  '%00',
  '1%00',
  '1,2',
  '%D9%A1',
  'ten',
  'NaN',
  'Infinity',
  'null',
  'true',
  '2147483648',
  '9999999999',
  '99999999999999999999',
  '9'.repeat(1000),
];
const own = partsOf('listPlants');
const othersOfOneParameter = [
  'limit',
  'limit=',
  'limit=1&limit=1',
  'limit=1&limit=2',
  'limit=0&limit=',
  'limit==1',
  'cursor',
  `cursor=${cursor}&cursor=${cursor}`,
  'limt=5',
  'Limit=5',
  'LIMIT=5',
  'limit%20=5',
  'limit[]=5',
  'max=5',
  'page=2',
  'offset=5',
  'sort=id',
  'owner=bob',
  'id=7',
  'tag=a',
  '__proto__=1',
  'constructor=1',
  'toString=1',
  'hasOwnProperty=1',
  '%F0%9F%AA%B4=1',
  'access_token=x',
  'a',
  '_=1',
  'a=1&a=2',
].filter(
  (query) =>
    !own.some((part) => part !== '?limit' && part !== '?cursor' && `?${query}`.startsWith(part)),
);

/** Queries of a list that are refused with 400, with the names of their wrong parameters. */
export const badQueries: [query: string, parameters: string[]][] = [
  ...[
    ...badLimits.map((limit) => `limit=${limit}`),
    ...badCursors.map((value) => `cursor=${value}`),
    ...othersOfOneParameter,
  ].map((query): [string, string[]] => [query, [decodeURIComponent(query.split('=')[0] ?? '')]]),
  ['limit=0&cursor=x', ['limit', 'cursor']],
  ['limit=0&cursor=x&page=2', ['limit', 'cursor', 'page']],
  ['a=1&b=2&c=3', ['a', 'b', 'c']],
];

/** Ids in the path of a delete that are refused with 400, even if the gateway decodes them. */
export const badPathIds: string[] = [
  '00',
  '01',
  '007',
  '-0',
  '-00',
  '-01',
  '+7',
  '%2B7',
  '7.0',
  '7.',
  '.7',
  '7e0',
  '1e2',
  '0x7',
  '0b1',
  '0o7',
  '7n',
  '7_0',
  '7,0',
  '7L',
  '--7',
  '-',
  '7-',
  '-%207',
  '%207',
  '7%20',
  '7%0A',
  '%00',
  '7%00',
  '%22',
  '%227%22',
  '[7]',
  '(7)',
  '*',
  '$7',
  '~',
  'a',
  'null',
  'undefined',
  'true',
  'NaN',
  'Infinity',
  '-Infinity',
  'id',
  'plants',
  '%7Bid%7D',
  '7.json',
  '7;v=1',
  '7:8',
  '7@8',
  '7&8',
  '%D9%A7',
  '%EF%BC%97',
  '%C2%B7',
  '%F0%9F%AA%B4',
  '%E2%88%927',
  '%C3%28',
  '9223372036854775808',
  '-9223372036854775809',
  '9999999999999999999',
  '18446744073709551616',
  '9'.repeat(100),
  '1'.repeat(4000),
];

const json: Header = ['Content-Type', 'application/json'];
const badTypes = [
  'text/plain',
  'text/json',
  'application/xml',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'application/jsonp',
  'application/json5',
  'application/json2',
  'application/ld+json',
  'xapplication/json',
  'application/problem+json',
  'application/vnd.api+json',
  'application/json-patch+json',
  'application/*',
  '*/*',
  'json',
  'application',
  'application/',
  '/json',
  '"application/json"',
  'multipart/form-data; boundary=x',
  'application json',
  'application/json charset=utf-8',
  'application/json, application/json',
  'application/json, text/plain',
  'application/json; version=1',
  'application/json; charset=utf-8; version=1',
  'application/json; charset=utf-8;a=1',
  'application/json; charset=iso-8859-1',
  'application/json; charset=utf-16',
  'application/json; charset=utf8',
  'application/json; charset=',
  'application/json; charset="utf-8',
];
const badEncodings = ['gzip', 'GZIP', 'br', 'deflate', 'zstd', 'compress', 'gzip, br', 'aes', 'x'];

type BadHeaders = [what: string, headers: Header[], names: string[]];
const of = (name: string, value: string, ...before: Header[]): BadHeaders => [
  `${name}: ${value}`,
  [...before, [name, value]],
  [name],
];
const type = ['Content-Type'];
const encoding = ['Content-Encoding'];

/** Headers of a create that are refused with 415, with the names of the wrong ones. */
export const badHeaders: BadHeaders[] = [
  ['no Content-Type', [], type],
  ...badTypes.map((value) => of('Content-Type', value)),
  ['two Content-Types', [json, json], type],
  ['two different Content-Types', [json, ['Content-Type', 'a/b']], type],
  ['two different Content-Types, one in lower case', [json, ['content-type', 'a/b']], type],
  ['two Content-Types, the first in lower case', [['content-type', 'a/b'], json], type],
  ...badEncodings.map((value) => of('Content-Encoding', value, json)),
  ['content-encoding in lower case', [json, ['content-encoding', 'identity']], encoding],
  ['Content-Encoding without Content-Type', [['Content-Encoding', 'x']], [...type, ...encoding]],
];

/** Bodies of a create that are refused with 413. */
export const largeBodies: [what: string, body: string][] = [
  ['16 KiB and a byte of spaces', ' '.repeat(16 * 1024 + 1)],
  ['a plant and spaces', sent(1).padEnd(16 * 1024 + 1)],
  ['fewer characters than 16 KiB, but more bytes', 'é'.repeat(8 * 1024 + 1)],
  ['a long name', sent(1, { [label]: 'a'.repeat(16 * 1024) })],
  ['100 KB', '['.repeat(100_000)],
  ['1 MB', '{"a":'.repeat(200_000)],
];

const known = Object.values(operations).map(
  ({ method, path }) => `${method} /${fillPath(path, '7')}`,
);
const knownPaths = [...new Set(known.map((call) => call.replace(/^\w+ /, '')))];
/** Methods and paths that the API does not have. */
export const unknownOperations = [
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) =>
    knownPaths.map((path) => `${method} ${path}`),
  ),
  'GET ',
  'GET /favicon.ico',
  'GET /admin',
  'GET /',
  'GET /plant',
  'GET /plants7',
  'GET /Plants',
  'GET /PLANTS',
  'GET /plants.json',
  'GET /plants/7/8',
  'GET /v2/plants',
  'DELETE /plants/7/8',
  'POST /',
  'POST /plant',
]
  .filter((call) => !known.includes(call))
  .map((call) => call.split(' ') as [method: string, path: string]);
