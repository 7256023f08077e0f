import { isUtf8 } from 'node:buffer';
import { expect, test } from '@jest/globals';
import { call, list, problemOf, type Reply, remove, target } from '../api-client.ts';
import { badBodies } from '../cases/bad-bodies.ts';
import { badHeaders, badPathIds, badQueries, largeBodies } from '../cases/bad-requests.ts';
import { placesIn } from '../description.ts';
import { expectAnswer } from '../settled.ts';

const good = '{"id":1,"name":"a"}';
const json: [string, string] = ['Content-Type', 'application/json'];
const post = (body: string | Buffer, headers = [json], query = '') =>
  call({ method: 'POST', path: `/plants${query}`, headers, body });

const verdict = (reply: Reply) => [reply.status, problemOf(reply), ...placesIn(reply.body)];
const invalid = (...where: string[]) => [400, 'invalid-request', ...where.sort()];

const sentBodies = target.isSam
  ? badBodies.filter(([, body]) => isUtf8(Buffer.from(body)))
  : badBodies;
test.each(sentBodies)('a create is refused with the body: %s', async (_, body, pointers) => {
  const reply = await post(body);
  expect(verdict(reply)).toEqual(
    invalid(...(pointers?.map((pointer) => `#${pointer}`) ?? placesIn(reply.body))),
  );
});

const sentHeaders = target.isSam
  ? badHeaders.filter(([what]) => !what.startsWith('two Content-Types'))
  : badHeaders;
test.each(sentHeaders)('a create is refused with the headers: %s', async (what, headers, names) => {
  await expectAnswer(
    `a create with the headers: ${what}`,
    async () => verdict(await post(good, headers)),
    [415, 'unsupported-media-type', ...names.map((name) => `${name}:`).sort()],
  );
});

test.each(largeBodies)('a create is refused with a body that is too large: %s', async (_, body) => {
  expect(verdict(await post(body))).toEqual([413, 'content-too-large']);
});

test.each(badQueries)('a list is refused with the query: %s', async (query, parameters) => {
  await expectAnswer(
    `a list with the query: ${query}`,
    async () => verdict(await list(query)),
    invalid(...parameters.map((name) => `?${name}`)),
  );
});

test.each(badPathIds)('a delete is refused with the id: %s', async (id) => {
  await expectAnswer(
    `a delete with the id: ${id}`,
    async () => verdict(await call({ method: 'DELETE', path: `/plants/${id}` })),
    invalid('?id'),
  );
});

test('a create and a delete take no query parameters', async () => {
  expect(verdict(await post(good, [json], '?limit=1&dry_run=true'))).toEqual(
    invalid('?limit', '?dry_run'),
  );
  expect(verdict(await call({ method: 'DELETE', path: '/plants/1?force=true' }))).toEqual(
    invalid('?force'),
  );
  expect(verdict(await call({ method: 'DELETE', path: '/plants/01?id=1&x' }))).toEqual(
    invalid('?id', '?x'),
  );
});

test('the faults of body and query are named together', async () => {
  expect(verdict(await post('{"id":"1","nmae":"a"}', [json], '?x=1'))).toEqual(
    invalid('#/id', '#/name', '#/nmae', '?x'),
  );
  expect(verdict(await post('[]', [json], '?x=1'))).toEqual(invalid('#', '?x'));
});

test('media type, size and content are judged in this order, the first two alone', async () => {
  const large = 'x'.repeat(20_000);
  expect(verdict(await post(large, [['Content-Type', 'text/plain']], '?x=1'))).toEqual([
    415,
    'unsupported-media-type',
    'Content-Type:',
  ]);
  expect(verdict(await post(large, [json], '?x=1'))).toEqual([413, 'content-too-large']);
  expect(verdict(await post('x', [json], '?x=1'))).toEqual(invalid('#', '?x'));
});

test('a refused request stores nothing', async () => {
  expect((await list()).json).toEqual([]);
  expect((await list('', target.otherToken)).json).toEqual([]);
});

test('the same requests without their faults are accepted', async () => {
  expect((await post(good)).status).toBe(201);
  expect((await list('limit=1')).status).toBe(200);
  expect((await remove(1)).status).toBe(204);
});
