import { isUtf8 } from 'node:buffer';
import { expect, test } from '@jest/globals';
import { placesIn } from '../../support/openapi/description.ts';
import { requiredContent, sent } from '../../support/plant.ts';
import {
  ask,
  type Header,
  json,
  list,
  problemOf,
  type Reply,
  remove,
  target,
} from '../api-client.ts';
import { badBodies } from '../cases/bad-bodies.ts';
import { badHeaders, badPathIds, badQueries, largeBodies } from '../cases/bad-requests.ts';
import { expectAnswer } from '../settled.ts';

const good = sent(1);
const missing = Object.keys(requiredContent).map((name) => `#/${name}`);
const post = (body: string | Buffer, headers = [json], query = '') =>
  ask(`POST /plants${query}`, { headers, body });

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
    async () => verdict(await remove(id)),
    invalid('?id'),
  );
});

const text: Header = ['Content-Type', 'text/plain'];
const large = 'x'.repeat(20_000);
test.each<[what: string, send: () => Promise<Reply>, expected: unknown[]]>([
  [
    'the query of a create',
    () => post(good, [json], '?limit=1&dry_run=true'),
    invalid('?limit', '?dry_run'),
  ],
  ['the query of a delete', () => remove('1?force=true'), invalid('?force')],
  ['id and query together', () => remove('01?id=1&x'), invalid('?id', '?x')],
  [
    'body and query together',
    () => post('{"id":"1","nmae":"a"}', [json], '?x=1'),
    invalid('#/id', ...missing, '#/nmae', '?x'),
  ],
  ['no object, and the query', () => post('[]', [json], '?x=1'), invalid('#', '?x')],
  ['no JSON, and the query', () => post('x', [json], '?x=1'), invalid('#', '?x')],
  ['its size alone', () => post(large, [json], '?x=1'), [413, 'content-too-large']],
  [
    'its media type alone, before its size',
    () => post(large, [text], '?x=1'),
    [415, 'unsupported-media-type', 'Content-Type:'],
  ],
])('a request is refused for %s', async (_, send, expected) => {
  expect(verdict(await send())).toEqual(expected);
});
