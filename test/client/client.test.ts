import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type CallOptions,
  type ClientOptions,
  type Plant,
  PlantStoreError,
  plantStoreClient,
} from '../../docs/client.ts';
import { listen } from '../../lib/emulator/listen.ts';
import { answered } from '../support/plant.ts';
import { type Service, startService } from '../support/service/service.ts';

type PlantStoreClient = ReturnType<typeof plantStoreClient>;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

const client = async (owner: string) =>
  plantStoreClient({ baseUrl: service.baseUrl, token: await service.issue(owner) });

async function all(plants: AsyncGenerator<Plant>): Promise<Plant[]> {
  const listed = [];
  for await (const plant of plants) listed.push(plant);
  return listed;
}

/** The problem that a call rejects with. */
const problemOf = (call: Promise<unknown>) =>
  call.then(
    () => expect(call).rejects.toThrow(),
    (error) => {
      expect(error).toBeInstanceOf(PlantStoreError);
      return error.problem;
    },
  );

test.each([9007199254740993n, -(2n ** 63n), 2n ** 63n - 1n])(
  'a plant with the id %s is created, listed and deleted',
  async (id) => {
    const plants = await client(`id${id}`);
    const monstera = answered({ name: 'Monstera', tag: 'indoor' });
    expect(await plants.create({ id, ...monstera })).toEqual(monstera);
    expect(await plants.create({ id, ...monstera })).toEqual(monstera);
    expect(await all(plants.list())).toEqual([monstera]);
    // A number would be the same for both ids.
    expect(await plants.delete(id ^ 1n)).toBe(false);
    expect(await plants.delete(id)).toBe(true);
    expect(await plants.delete(id)).toBe(false);
  },
);

test('a list goes through all pages, and fetches none that is not asked for', async () => {
  const plants = await client('pages');
  for (let id = 0n; id < 5n; id += 1n) await plants.create({ id, name: `Plant ${id}` });
  const names = (await all(plants.list(2))).map(({ name }) => name);
  expect(names).toEqual(['Plant 0', 'Plant 1', 'Plant 2', 'Plant 3', 'Plant 4']);
  const first = answered({ name: 'Plant 0' });
  expect(await plants.list(2).next()).toEqual({ done: false, value: first });
});

test('an error is a problem that names every fault', async () => {
  const plants = await client('problems');
  expect(await problemOf(plants.create({ id: 2n ** 63n, name: '' }))).toMatchObject({
    type: 'urn:problem-type:plant-store:invalid-request',
    status: 400,
    errors: [
      { pointer: '/id', detail: 'must be at most 9223372036854775807' },
      { pointer: '/name', detail: 'must be 1 to 200 code points long' },
    ],
  });
  await expect(plants.create({ id: 2n ** 63n, name: '' })).rejects.toThrow(
    'Invalid request (400): /id must be at most 9223372036854775807; ' +
      '/name must be 1 to 200 code points long',
  );
  await plants.create({ id: 1n, name: 'Aloe' });
  expect(await problemOf(plants.create({ id: 1n, name: 'Ficus' }))).toMatchObject({ status: 409 });
  const stranger = plantStoreClient({ baseUrl: service.baseUrl, token: 'pst_' });
  expect(await problemOf(stranger.list().next())).toMatchObject({ status: 401 });
});

// The client waits for a second before it calls again, so the cases below wait at the same time.

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers with a status, and with what a call expects to read. */
const status =
  (code: number, headers: Record<string, string> = { 'Retry-After': '0' }): Reply =>
  (request, response) => {
    const isProblem = code >= 400;
    response.writeHead(code, {
      'Content-Type': isProblem ? 'application/problem+json' : 'application/json',
      ...(isProblem && headers),
    });
    const aloe = answered();
    const type = code === 404 ? 'urn:problem-type:plant-store:plant-not-found' : '';
    const body = isProblem ? { type, status: code, title: '', detail: '' } : aloe;
    const isList = request.method === 'GET' && !isProblem;
    response.end(code === 204 ? undefined : JSON.stringify(isList ? [body] : body));
  };
const reset: Reply = ({ socket }) => void socket.resetAndDestroy();
const close: Reply = ({ socket }) => void socket.destroy();
const hang: Reply = () => {};
const breakOff: Reply = ({ socket }, response) =>
  void response.writeHead(200, { 'Content-Length': 99 }).write('[', () => socket.destroy());

const calls = {
  create: (plants: PlantStoreClient, options?: CallOptions) =>
    plants.create({ id: 1n, name: 'Aloe' }, options),
  list: (plants: PlantStoreClient, options?: CallOptions) => all(plants.list(1000, options)),
  delete: (plants: PlantStoreClient, options?: CallOptions) => plants.delete(1n, options),
};

/** Answers the requests of a client one after the other, and returns what has come of its call. */
async function outcomeOf(
  call: keyof typeof calls,
  replies: Reply[],
  { signal, ...options }: Partial<ClientOptions> & CallOptions = {},
) {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    (replies[requests - 1] ?? status(500))(request, response);
  });
  const baseUrl = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  const began = performance.now();
  // Only what hangs is to time out, however slow the machine is.
  const timeout = replies.includes(hang) ? 1000 : 60_000;
  const plants = plantStoreClient({ baseUrl, token: '', timeout, retries: 2, ...options });
  const [result] = await Promise.allSettled([calls[call](plants, { signal })]);
  server.close().closeAllConnections();
  return { ...result, requests, ms: performance.now() - began };
}

const faults: [what: string, fault: Reply][] = [
  ['is answered 503', status(503)],
  ['meets a reset connection', reset],
  ['meets a closed connection', close],
  ['is never answered', hang],
  ['is answered by halves', breakOff],
];
describe.each(faults)('a call that %s', (_, fault) => {
  test.concurrent('is repeated if it is a list', async () => {
    const outcome = await outcomeOf('list', [fault, status(200)]);
    expect(outcome).toMatchObject({ value: [answered()], requests: 2 });
  });

  test.concurrent.each(['create', 'delete'] as const)(
    'is not repeated if it is a %s',
    async (call) => {
      const outcome = await outcomeOf(call, [fault, status(call === 'create' ? 201 : 204)]);
      expect(outcome).toMatchObject({ status: 'rejected', requests: 1 });
    },
  );

  test.concurrent.each([
    ['create', 200, answered()],
    // The first attempt may have deleted it.
    ['delete', 404, true],
  ] as const)('is repeated if it is a %s of the only writer', async (call, code, value) => {
    const outcome = await outcomeOf(call, [fault, status(code)], { onlyWriter: true });
    expect(outcome).toMatchObject({ value, requests: 2 });
  });

  test.concurrent('rejects after its last repetition', async () => {
    const outcome = await outcomeOf('list', [fault, fault, status(200)], { retries: 1 });
    expect(outcome).toMatchObject({ status: 'rejected', requests: 2 });
  });
});

test.concurrent.each([
  ['create', 201, answered()],
  ['list', 200, [answered()]],
  ['delete', 204, true],
  // Nothing can have deleted it but another client.
  ['delete', 404, false],
] as const)(
  'a %s that was answered 429 is repeated, and its %i counts',
  async (call, code, value) => {
    const outcome = await outcomeOf(call, [status(429), status(429), status(code)]);
    expect(outcome).toMatchObject({ value, requests: 3 });
  },
);

test('a delete under a wrong base URL is no deletion of a plant that is missing', async () => {
  const baseUrl = service.baseUrl.replace('/v1', '/v1/v1');
  const plants = plantStoreClient({ baseUrl, token: await service.issue('alice') });
  expect(await problemOf(plants.delete(1n))).toMatchObject({
    type: 'urn:problem-type:plant-store:no-such-operation',
  });
});

test.concurrent('a list that meets a refused connection is repeated', async () => {
  const server = createServer(status(200));
  const port = await listen(server, 0, '127.0.0.1');
  await new Promise((resolve) => server.close(resolve));
  const listing = all(plantStoreClient({ baseUrl: `http://127.0.0.1:${port}`, token: '' }).list());
  setTimeout(() => server.listen(port, '127.0.0.1'), 500);
  expect(await listing).toEqual([answered()]);
  server.close();
});

test.concurrent.each<[string, () => string, number]>([
  ['seconds', () => '1', 1000],
  // A date has no fractions of a second.
  ['a date', () => new Date(Date.now() + 2000).toUTCString(), 1000],
  ['a date in the past', () => new Date(0).toUTCString(), 0],
  ['no time', () => 'soon', 1000],
])('a Retry-After with %s is waited for', async (_, text, ms) => {
  const busy = status(429, { 'Retry-After': text() });
  const outcome = await outcomeOf('delete', [busy, status(204)]);
  expect(outcome).toMatchObject({ value: true, requests: 2 });
  expect(outcome.ms).toBeGreaterThanOrEqual(ms);
  expect(outcome.ms).toBeLessThan(ms + 1900);
});

test.concurrent.each<[what: string, reply: Reply]>([
  ['for its answer', hang],
  ['to be repeated', status(429, { 'Retry-After': '999999999' })],
])('a signal ends a call that waits %s', async (_, reply) => {
  for (const call of ['create', 'list', 'delete'] as const) {
    const controller = new AbortController();
    const abortAfter: Reply = (request, response) => {
      reply(request, response);
      setTimeout(() => controller.abort(), 100);
    };
    const { signal } = controller;
    const outcome = await outcomeOf(call, [abortAfter], { signal, timeout: 60_000 });
    expect(outcome).toMatchObject({ reason: signal.reason, requests: 1 });
    expect(outcome.ms).toBeLessThan(5000);
  }
});

test.concurrent('an error of a proxy is told with its status and text', async () => {
  const badGateway: Reply = (_, response) =>
    void response.writeHead(502, { 'Content-Type': 'text/plain' }).end('no upstream');
  expect(await outcomeOf('delete', [badGateway])).toMatchObject({
    reason: new Error('502 Bad Gateway: no upstream'),
  });
});
