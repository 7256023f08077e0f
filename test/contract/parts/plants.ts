import { expect, test } from '@jest/globals';
import { goodShapes } from '../../support/access-tokens/shapes.ts';
import { openApi } from '../../support/openapi/description.ts';
import { answered, type Content, fieldNames, label, sent, whole } from '../../support/plant.ts';
import {
  ask,
  create,
  type Header,
  inParallel,
  json,
  list,
  plantsPath,
  problemOf,
  type Reply,
  remove,
  target,
} from '../api-client.ts';
import { int64 } from '../cases/int64.ts';
import { kept } from '../cases/unicode.ts';

const { otherToken } = target;
const statusesOf = (replies: Reply[]) => replies.map(({ status }) => status).sort();

test('a plant is created, listed and deleted', async () => {
  const plant = { name: 'Aloe', tag: 'sun' };
  const { status, json, headers } = await create('{"id":7,"name":"Aloe","tag":"sun"}');
  expect([status, json, headers.location]).toEqual([201, plant, `${plantsPath}/7`]);
  expect((await list()).json).toEqual([plant]);
  const deletion = await remove(7);
  expect([deletion.status, deletion.body]).toEqual([204, '']);
  const empty = await list();
  expect([empty.status, empty.body, empty.headers.link]).toEqual([200, '[]', undefined]);
});

test('a deleted plant is not found again, and can be created again', async () => {
  await create(sent(7));
  expect((await remove(7)).status).toBe(204);
  const again = await remove(7);
  expect([again.status, problemOf(again)]).toEqual([404, 'plant-not-found']);
  expect((await create(sent(7))).status).toBe(201);
});

test('a repeated create changes nothing, and another plant is a conflict', async () => {
  await create({ id: 7, ...whole });
  const reversed = Object.fromEntries(Object.entries({ id: 7, ...whole }).reverse());
  const { status, json, headers } = await create(reversed);
  expect([status, json, headers.location]).toEqual([200, whole, `${plantsPath}/7`]);
  const others = [
    // These look alike, and differ.
    ...[whole[label].toLowerCase(), `${whole[label]} `, `${whole[label]}\u200B`].map((text) => ({
      [label]: text,
    })),
    ...fieldNames.map((field) => ({ [field]: answered()[field] })),
  ];
  for (const other of others) {
    const conflict = await create({ id: 7, ...whole, ...other });
    expect([conflict.status, problemOf(conflict)]).toEqual([409, 'plant-exists']);
  }
  expect((await list()).json).toEqual([whole]);
});

test('a field that is left out has its default', async () => {
  expect((await create(sent(7))).json).toEqual(answered());
  expect((await create(sent(7, answered()))).status).toBe(200);
  expect((await list()).json).toEqual([answered()]);
});

test.each(int64)('an id may be an int64 and nothing else: %s', async (literal, id) => {
  const creation = await create(sent(literal));
  expect([creation.status, creation.headers.location]).toEqual(
    id === undefined ? [400, undefined] : [201, `${plantsPath}/${id}`],
  );
  if (id === undefined) {
    return;
  }
  expect((await create(sent(id))).status).toBe(200);
  expect((await remove(id)).status).toBe(204);
  expect((await remove(id)).status).toBe(404);
});

/** The fields that are texts of any kind, with their largest lengths. */
const texts = Object.entries(openApi.components.schemas.Plant?.properties ?? {}).filter(
  ([, { maxLength }]) => maxLength !== undefined,
);
test.each(kept)('texts come back as they were sent: %j', async (text: string) => {
  const fit = texts.map(([name, { minLength = 0, maxLength }]) => [
    name,
    [...text.padEnd(minLength)].slice(0, maxLength).join(''),
  ]);
  const given: Partial<Content> = Object.fromEntries(fit);
  expect((await create(sent(7, given))).json).toEqual(answered(given));
  expect((await list()).json).toEqual([answered(given)]);
});

test.each([
  'application/json; charset=utf-8',
  'Application/JSON;charset="UTF-8"',
  'application/json ; charset=utf-8',
])('a create may be of the type %s, with its headers in any case', async (type) => {
  const creation = { headers: [['cONTENT-tYPE', type] satisfies Header], body: sent(7) };
  expect((await ask('POST /plants', creation)).status).toBe(201);
});

test('a body of exactly 16 KiB is accepted, and its white space is ignored', async () => {
  const members = Object.entries(JSON.parse(sent(7))).map(
    ([name, value]) => `"${name}" : ${JSON.stringify(value)}`,
  );
  const body = ` \r\n\t{ ${members.join(' ,\n')} }`;
  expect((await create(body.padEnd(16 * 1024))).status).toBe(201);
  expect((await create(body)).status).toBe(200);
});

test('a delete takes an id that is percent-encoded, and ignores its body', async () => {
  await create(sent(-7));
  const deletion = await ask('DELETE /plants/%2D%37', { headers: [json], body: '{"id":8' });
  expect(deletion.status).toBe(204);
});

test('of many concurrent creates of an id with different content one succeeds', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `Plant ${i}`);
  const creations = await inParallel(names, (name) => create(sent(7, { [label]: name })));
  expect(statusesOf(creations)).toEqual([201, ...Array(19).fill(409)]);
  const winner = creations.find(({ status }) => status === 201);
  expect((await list()).json).toEqual([winner?.json]);
});

test('of many concurrent creates of the same plant one stores it', async () => {
  const creations = await inParallel(Array(20).fill({ id: 7, ...whole }), (plant) => create(plant));
  expect(statusesOf(creations)).toEqual([...Array(19).fill(200), 201]);
});

test('creates, lists and deletes tell nothing about the plants of another owner', async () => {
  await create({ id: 7, ...whole });
  const ofEachCall = /^(date|x-request-id|x-amzn-requestid|x-amz-apigw-id|x-amzn-trace-id)$/;
  const same = ({ status, body, headers }: Reply) => ({
    status,
    body: body.replaceAll(headers['x-request-id'] ?? '', ''),
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ofEachCall.test(name))),
  });
  // The first owner has 7, and no owner has 8.
  expect(same(await remove(7, otherToken))).toEqual(same(await remove(8, otherToken)));
  const taken = await create(sent(7, { [label]: 'Ficus' }), otherToken);
  const free = await create(sent(8, { [label]: 'Ficus' }), otherToken);
  const { headers, ...others } = same(free);
  expect(same(taken)).toEqual({ ...others, headers: { ...headers, location: `${plantsPath}/7` } });
  expect((await list('', otherToken)).json).toEqual(Array(2).fill(answered({ [label]: 'Ficus' })));
  expect((await list()).json).toEqual([whole]);
  expect((await remove(7, otherToken)).status).toBe(204);
  expect((await list()).json).toEqual([whole]);
});

const sentShapes = target.isSam ? goodShapes.filter((shape) => shape === shape.trim()) : goodShapes;
test.each(sentShapes)('an Authorization can be written as %j', async (shape) => {
  const headers: Header[] = [['authorization', shape.replace('TOKEN', target.token)]];
  expect((await ask('GET /plants', { token: null, headers })).status).toBe(200);
});
