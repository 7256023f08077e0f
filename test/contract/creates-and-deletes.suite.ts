import { expect, test } from '@jest/globals';
import { isDynamoDbLocal } from '../support/database/engine.ts';
import { makeBody, makeFields } from '../support/plant.ts';
import {
  type ApiResponse,
  ask,
  create,
  type Header,
  inParallel,
  json,
  list,
  plantsPath,
  readCode,
  remove,
} from './api-client.ts';
import { isSam, tested } from './tested-store.ts';

const aloe = { id: 7, name: 'Aloe', tag: 'sun' };
const sortStatuses = (responses: ApiResponse[]) => responses.map(({ status }) => status).sort();

test('a plant is created, listed, deleted once, and created again', async () => {
  const creation = await create('{"id":7,"name":"Aloe","tag":"sun"}');
  expect([creation.status, creation.body]).toEqual([201, '{"name":"Aloe","tag":"sun"}']);
  expect(creation.headers.location).toBe(`${plantsPath()}/7`);
  expect((await list()).body).toBe('[{"name":"Aloe","tag":"sun"}]');
  const deletion = await remove(7);
  expect([deletion.status, deletion.body]).toEqual([204, '']);
  const empty = await list();
  expect([empty.status, empty.body, empty.headers.link]).toEqual([200, '[]', undefined]);
  const again = await remove(7);
  expect([again.status, readCode(again)]).toEqual([404, 'plant-not-found']);
  expect((await create(makeBody(7))).status).toBe(201);
});

test('a repeated create changes nothing, and other content is a conflict', async () => {
  await create(aloe);
  const again = await create('{"tag":"sun","name":"Aloe","id":7.0}');
  expect([again.status, again.body]).toEqual([200, '{"name":"Aloe","tag":"sun"}']);
  expect(again.headers.location).toBe(`${plantsPath()}/7`);
  const others = [
    { ...aloe, name: 'aloe' },
    { ...aloe, name: 'Aloe ' },
    { ...aloe, name: 'Aloe\u200B' },
    { ...aloe, tag: '' },
    { ...aloe, tag: 'Sun' },
    { id: 7, name: 'Aloe' },
  ];
  for (const other of others) {
    const conflict = await create(other);
    expect([other, conflict.status, readCode(conflict)]).toEqual([other, 409, 'plant-exists']);
  }
  expect((await list()).body).toBe('[{"name":"Aloe","tag":"sun"}]');
});

test('a tag that is left out is empty', async () => {
  expect((await create('{"id":7,"name":"Aloe"}')).body).toBe('{"name":"Aloe","tag":""}');
  expect((await create({ ...aloe, tag: '' })).status).toBe(200);
  expect((await list()).body).toBe('[{"name":"Aloe","tag":""}]');
});

test('responses of operations say when the access token ends', async () => {
  const responses = [
    await create(aloe),
    await create(aloe),
    await create({ ...aloe, name: 'Ficus' }),
    await create('{'),
    await list(),
    await remove(7),
    await remove(7),
  ];
  const [end, ...others] = new Set(responses.map(({ headers }) => headers['access-token-expires']));
  expect(Date.parse(`${end}`)).toBeGreaterThan(Date.now());
  expect(others).toEqual([]);
});

/** Numbers in a body, and the same ids in a path. */
const ids: [literal: string, id: string][] = [
  ['0', '0'],
  ['-1', '-1'],
  // Not a double.
  ['9007199254740993', '9007199254740993'],
  ['9223372036854775807', '9223372036854775807'],
  ['-9223372036854775808', '-9223372036854775808'],
  // An integral value in another spelling.
  ['-0', '0'],
  ['1.0', '1'],
  ['1E+2', '100'],
  ['100e-2', '1'],
  ['-12.50e1', '-125'],
  ['1.000000000000000001e18', '1000000000000000001'],
  ['92233720368547758070e-1', '9223372036854775807'],
];
test.each(ids)('the id %s of a body is %s in a path', async (literal, id) => {
  const creation = await create(makeBody(literal));
  expect([creation.status, creation.headers.location]).toEqual([201, `${plantsPath()}/${id}`]);
  expect((await create(makeBody(id))).status).toBe(200);
  expect((await remove(id)).status).toBe(204);
});

const texts = [
  // Escapes, markup, paths, templates and queries.
  ' ',
  '  a  ',
  '"',
  '\\u0041\\n',
  '{"id":1}',
  '../../%41%00%2F',
  '<script>alert(1)</script>',
  '$context.requestId #{7*7} {{7*7}}',
  // Text that normal forms and case folding would change.
  'e\u0301',
  '\uFB01',
  'ßıİ',
  'Ａｌｏｅ',
  // Right to left, and an override of the direction.
  'Aloe אלוורה صبار 7',
  '\u202Eeola\u202C',
  // Emoji with a skin tone, joined, of two letters, and with a variation selector.
  '👩🏽👨‍👩‍👧‍👦🇨🇭☘\uFE0F',
  // Invisible characters, and characters that some parsers treat as spaces or line ends.
  '\u00A0\u3000',
  '\uFEFFa\u00AD\u200B\u200D\u2060\uFEFFb',
  'a\u2028\u2029b',
  // Private use, the edges of the planes, noncharacters, and an unassigned code point.
  '\uE000\u{10FFFD}\uD7FF',
  '\uFFFE\uFFFF\uFDD0',
  '\u{10000}\u{10FFFF}\u{E0FFF}',
];
test('names and tags are returned exactly as sent', async () => {
  const plants = texts.map((text) => ({ ...makeFields(text), tag: text }));
  for (const [id, plant] of plants.entries()) {
    expect((await create({ id, ...plant })).json).toEqual(plant);
  }
  expect((await list()).json).toEqual(plants);
});

test.each(['a', '葉', '🪴'])(
  'a name may have 200 and a tag 100 characters: %s',
  async (character) => {
    const plant = { ...makeFields(character.repeat(200)), tag: character.repeat(100) };
    expect((await create({ id: 7, ...plant })).json).toEqual(plant);
    expect((await list()).json).toEqual([plant]);
  },
);

test.each([
  'application/json; charset=utf-8',
  'Application/JSON;charset="UTF-8"',
  'application/json\t;charset=utf8',
  'application/json;;',
  // RFC 8259 gives it no meaning: JSON is UTF-8.
  'application/json; charset=iso-8859-1',
])('a create may be of the type %s, with its headers in any case', async (type) => {
  const headers: Header[] = [['cONTENT-tYPE', type]];
  expect((await ask('POST /plants', { headers, body: makeBody(7, 'é') })).status).toBe(201);
  expect((await list()).json).toEqual([makeFields('é')]);
});

test('a body of exactly 16 KiB is accepted, and its white space is ignored', async () => {
  const indented = JSON.stringify({ id: 7, ...makeFields() }, null, '\r\t ');
  const body = ` \r\n\t${indented.replaceAll('":', '" :')}`;
  expect((await create(body.padEnd(16 * 1024))).status).toBe(201);
  expect((await create(body)).status).toBe(200);
});

test('a delete accepts a percent-encoded id and ignores its body', async () => {
  await create(makeBody(-7));
  const deletion = await ask('DELETE /plants/%2D%37', { headers: [json], body: '{"id":8' });
  expect(deletion.status).toBe(204);
});

// SAM CLI decodes an id before the function does.
if (!isSam) {
  test('a delete decodes its id only once', async () => {
    await create(makeBody(7));
    const deletion = await remove('%2537');
    expect([deletion.status, readCode(deletion)]).toEqual([400, 'invalid-request']);
    expect((await list()).json).toHaveLength(1);
  });
}

// DynamoDB Local, unlike dynalite, executes commands side by side.
const rounds = Array.from({ length: isDynamoDbLocal ? 20 : 1 }, (_, round) => round);

test('of many concurrent creates of an id with different content one succeeds', async () => {
  for (const id of rounds) {
    const names = Array.from({ length: 20 }, (_, i) => `Plant ${i}`);
    const creations = await inParallel(names, (name) => create(makeBody(id, name)));
    expect(sortStatuses(creations)).toEqual([201, ...Array(19).fill(409)]);
    const winner = creations.find(({ status }) => status === 201);
    expect((await list()).json).toEqual([winner?.json]);
    expect((await remove(id)).status).toBe(204);
  }
});

test('of many concurrent creates of the same plant one stores it', async () => {
  for (const id of rounds) {
    const plants = Array(20).fill(makeBody(id));
    const creations = await inParallel(plants, (plant) => create(plant));
    expect(sortStatuses(creations)).toEqual([...Array(19).fill(200), 201]);
  }
});

/** Returns a response without the headers and the id that differ between calls. */
function comparable({ status, body, headers }: ApiResponse) {
  const ofEachCall = /^(date|x-request-id|x-amzn-requestid|x-amz-apigw-id|x-amzn-trace-id)$/;
  const same = Object.entries(headers).filter(([name]) => !ofEachCall.test(name));
  const id = headers['x-request-id'] ?? '';
  return { status, body: body.replaceAll(id, ''), headers: Object.fromEntries(same) };
}

test('a response says nothing about the plants of another owner', async () => {
  const { otherToken } = tested;
  await create(makeBody(7));
  // The first owner has 7, and nobody has 8.
  expect(comparable(await remove(7, otherToken))).toEqual(comparable(await remove(8, otherToken)));
  const { headers: taken, ...one } = comparable(await create(makeBody(7, 'Ficus'), otherToken));
  const { headers: free, ...other } = comparable(await create(makeBody(8, 'Ficus'), otherToken));
  expect(one).toEqual(other);
  expect(taken).toEqual({ ...free, location: `${plantsPath()}/7` });

  const ficus = makeFields('Ficus');
  expect((await list('', otherToken)).json).toEqual([ficus, ficus]);
  expect((await list()).json).toEqual([makeFields()]);
  expect((await remove(7, otherToken)).status).toBe(204);
  expect((await list()).json).toEqual([makeFields()]);
});
