import { expect, test } from '@jest/globals';
import { authorize } from '../../functions/access-tokens/authorizer.ts';
import { operation } from '../../functions/http/operation.ts';
import { listQuery } from '../../functions/plants/page.ts';
import { newPlant, plantPath } from '../../functions/plants/plant.ts';
import { lambdaContext, proxyEvent, tokenEvent } from '../support/service/proxy-event.ts';
import '../support/captured-log.ts';

/**
 * The length of a part of a request, many times above the gateway's limits. A quadratic expression
 * takes 2 s or more for it. All parts together should take milliseconds.
 */
const length = 100_000;
const runs = [' ', ...'/ \t - 0 9 a % %2F = & ; " \\ {"a": [ é'.split(' ')];
const texts = runs.flatMap((run) => {
  const long = run.repeat(length / run.length);
  return [long, `${long}x`, `x${long}`, `x${long}x`];
});

const done = async () => ({ code: 'PLANT_DELETED', status: 204 }) as const;
const create = operation({ body: newPlant }, done);
const list = operation({ query: listQuery }, done);
const remove = operation({ path: plantPath }, done);

type Given = Parameters<typeof proxyEvent>[0];
const call =
  (handler: typeof create, part: (text: string) => Given) =>
  (text: string): unknown =>
    handler(proxyEvent(part(text)), lambdaContext());
const parts: Record<string, (text: string) => unknown> = {
  'the path of a list': call(list, (path) => ({ path })),
  'the content type of a create': call(create, (text) => ({
    headers: { 'content-type': [`application/json${text}`] },
  })),
  'the body of a create': call(create, (body) => ({ body: body.slice(0, 16_384) })),
  'a name in a create': call(create, (name) => ({
    body: JSON.stringify({ id: 1, name: name.slice(0, 8000) }),
  })),
  'a parameter’s name in a list': call(list, (name) => ({ query: { [name]: ['1'] } })),
  'the limit of a list': call(list, (limit) => ({ query: { limit: [limit] } })),
  'the cursor of a list': call(list, (cursor) => ({ query: { cursor: [cursor] } })),
  'the id of a delete': call(remove, (id) => ({ pathParameters: { id } })),
  'an access token': (text) =>
    authorize(tokenEvent(`Bearer ${text}`), async () => undefined).catch(() => {}),
};

test.each(Object.entries(parts))('%s is read in linear time', async (_, read) => {
  const started = process.cpuUsage();
  for (const text of texts) {
    await read(text);
  }
  const { user } = process.cpuUsage(started);
  expect(user / 1_000_000).toBeLessThan(1);
});
