import { encodeCursor } from '../../../functions/plants/cursor.ts';

type Header = [name: string, value: string];

const cursor = encodeCursor(7n);

/** Queries of a list that are refused with 400, and the parameters that are at fault. */
export const badQueries: [query: string, parameters: string[]][] = [
  ...['', '0', '00', '01', '-1', '-0', '+1', '%2B1', '1.0', '1.', '1e2', '0x10', '1_0', '1%20', '%201', '%09', '1%0A', '%00', '1%00'].map(
    (value): [string, string[]] => [`limit=${value}`, ['limit']],
  ),
  ...['2147483648', '9999999999', '99999999999999999999', '9'.repeat(1000), 'ten', 'NaN', 'Infinity', 'null', 'true', '1,2', '%D9%A1'].map(
    (value): [string, string[]] => [`limit=${value}`, ['limit']],
  ),
  ['limit', ['limit']],
  ['limit=1&limit=1', ['limit']],
  ['limit=1&limit=2', ['limit']],
  ['limit=0&limit=', ['limit']],
  ['limit==1', ['limit']],
  ...[
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
  ].map((query): [string, string[]] => [query, [decodeURIComponent(query.split('=')[0] ?? '')]]),
  ...['__proto__=1', 'constructor=1', 'toString=1', 'hasOwnProperty=1', '%F0%9F%AA%B4=1', 'access_token=x', 'a', '_=1'].map(
    (query): [string, string[]] => [query, [decodeURIComponent(query.split('=')[0] ?? '')]],
  ),
  ...[
    '',
    '0',
    'x',
    'next',
    cursor.slice(0, -1),
    cursor.slice(1),
    `${cursor}A`,
    `${cursor}%3D`,
    `%20${cursor}`,
    `${cursor}%0A`,
    `2${cursor.slice(1)}`,
    `0${cursor.slice(1)}`,
    // Two bits of the last character belong to no byte.
    cursor.slice(0, -1) + String.fromCharCode(cursor.charCodeAt(cursor.length - 1) + 1),
    `1${'%2F'.repeat(11)}`,
    `1${'%2B'.repeat(11)}`,
    'eyJpZCI6N30',
    '%00',
    'A'.repeat(2000),
  ].map((value): [string, string[]] => [`cursor=${value}`, ['cursor']]),
  ['cursor', ['cursor']],
  [`cursor=${cursor}&cursor=${cursor}`, ['cursor']],
  ['limit=0&cursor=x', ['limit', 'cursor']],
  ['limit=0&cursor=x&page=2', ['limit', 'cursor', 'page']],
  ['a=1&b=2&c=3', ['a', 'b', 'c']],
  ['a=1&a=2', ['a']],
];

/** Ids in the path of a delete that are refused with 400, whether the gateway decodes them or not. */
export const badPathIds: string[] = [
  ...['00', '01', '007', '-0', '-00', '-01', '+7', '%2B7', '7.0', '7.', '.7', '7e0', '1e2', '0x7', '0b1', '0o7', '7n', '7_0', '7,0', '7L'],
  ...['--7', '-', '7-', '- 7'.replace(' ', '%20'), '%207', '7%20', '7%0A', '%00', '7%00', '%22', '%227%22', '[7]', '(7)', '*', '$7', '~'],
  ...['a', 'null', 'undefined', 'true', 'NaN', 'Infinity', '-Infinity', 'id', 'plants', '%7Bid%7D', '7.json', '7;v=1', '7:8', '7@8', '7&8'],
  ...['%D9%A7', '%EF%BC%97', '%C2%B7', '%F0%9F%AA%B4', '%E2%88%927', '%C3%28'],
  ...['9223372036854775808', '-9223372036854775809', '9999999999999999999', '18446744073709551616', '9'.repeat(100), '1'.repeat(4000)],
];

const json: Header = ['Content-Type', 'application/json'];
const type = ['Content-Type'];

/** Headers of a create that are refused with 415, and the headers that are at fault. */
export const badHeaders: [what: string, headers: Header[], names: string[]][] = [
  ['no Content-Type', [], type],
  ...[
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/xml',
    'application/jsonp',
    'application/json5',
    'application/json2',
    'application/ld+json',
    'application/problem+json',
    'application/vnd.api+json',
    'application/json-patch+json',
    'application/*',
    '*/*',
    'json',
    'application',
    'application/',
    '/json',
    'application json',
    'xapplication/json',
    'application/json, application/json',
    'application/json, text/plain',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json; charset=utf8',
    'application/json; charset=',
    'application/json; charset="utf-8',
    'application/json; version=1',
    'application/json; charset=utf-8; version=1',
    'application/json charset=utf-8',
    '"application/json"',
  ].map((value): [string, Header[], string[]] => [`Content-Type: ${value}`, [['Content-Type', value]], type]),
  ['two Content-Types', [json, json], type],
  ['two different Content-Types', [json, ['Content-Type', 'text/plain']], type],
  ...['gzip', 'GZIP', 'br', 'deflate', 'zstd', 'compress', 'gzip, br', 'aes128gcm', 'x'].map((value): [string, Header[], string[]] => [
    `Content-Encoding: ${value}`,
    [json, ['Content-Encoding', value]],
    ['Content-Encoding'],
  ]),
  ['content-encoding: identity, in lower case', [json, ['content-encoding', 'identity']], ['Content-Encoding']],
  ['Content-Encoding without Content-Type', [['Content-Encoding', 'identity']], ['Content-Type', 'Content-Encoding']],
];

/** Bodies of a create that are refused with 413. */
export const largeBodies: [what: string, body: string][] = [
  ['16 KiB and a byte of spaces', ' '.repeat(16 * 1024 + 1)],
  ['a plant and spaces', `{"id":1,"name":"a"}`.padEnd(16 * 1024 + 1)],
  ['fewer characters than 16 KiB, but more bytes', 'é'.repeat(8 * 1024 + 1)],
  ['a long name', `{"id":1,"name":"${'a'.repeat(16 * 1024)}"}`],
  ['100 KB', '['.repeat(100_000)],
  ['1 MB', '{"a":'.repeat(200_000)],
];

/** Methods and paths that the API does not have. */
export const unknownOperations: [method: string, path: string][] = [
  ['GET', '/'],
  ['GET', ''],
  ['GET', '/plant'],
  ['GET', '/plantss'],
  ['GET', '/Plants'],
  ['GET', '/PLANTS'],
  ['GET', '/plants.json'],
  ['GET', '/plants/7'],
  ['GET', '/plants/7/8'],
  ['GET', '/v2/plants'],
  ['GET', '/favicon.ico'],
  ['GET', '/admin'],
  ['PUT', '/plants'],
  ['PATCH', '/plants'],
  ['DELETE', '/plants'],
  ['POST', '/plants/7'],
  ['PUT', '/plants/7'],
  ['PATCH', '/plants/7'],
  ['POST', '/'],
  ['POST', '/plant'],
  ['DELETE', '/plants/7/8'],
];
