import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import {
  type CallOptions,
  type ClientOptions,
  type Plant,
  PlantStoreError,
  plantStoreClient,
} from '../../docs/client.ts';
import { fields } from '../../functions/plants/plant.ts';
import { listen } from '../../lib/offline/http/listen.ts';
import { readPage } from '../docs/page.ts';
import { root } from '../support/checkout.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { answered, label, plantOf, whole } from '../support/plant.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
finallyDo(service.stop);
afterEach(() => {
  jest.restoreAllMocks();
});

type Client = ReturnType<typeof plantStoreClient>;

const client = async (owner: string, baseUrl = service.baseUrl) =>
  plantStoreClient({ baseUrl, token: await service.issue(owner) });

async function all(plants: AsyncGenerator<Plant>): Promise<Plant[]> {
  const listed = [];
  for await (const plant of plants) {
    listed.push(plant);
  }
  return listed;
}

test.each([9007199254740993n, -(2n ** 63n), 2n ** 63n - 1n])(
  'a plant with the id %s is created, listed and deleted',
  async (id) => {
    const plants = await client(`id${id}`);
    const monstera = whole;
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
  const names = ['Plant 0', 'Plant 1', 'Plant 2', 'Plant 3', 'Plant 4'];
  for (const [id, name] of names.entries()) {
    await plants.create(plantOf(BigInt(id), { [label]: name }));
  }
  expect((await all(plants.list(2))).map((plant) => plant[label])).toEqual(names);
  const first = answered({ [label]: 'Plant 0' });
  expect(await plants.list(2).next()).toEqual({ done: false, value: first });
});

test('an error is a problem that names every fault', async () => {
  const plants = await client('problems');
  const rejects = (call: Promise<unknown>) => expect(call).rejects;
  const { minLength, maxLength } = fields[label].kind.schema();
  const faulty = () => plants.create(plantOf(2n ** 63n, { [label]: '' }));
  await rejects(faulty()).toBeInstanceOf(PlantStoreError);
  await rejects(faulty()).toMatchObject({ problem: { status: 400, errors: { length: 2 } } });
  await rejects(faulty()).toThrow(
    'Invalid request (400): /id must be at most 9223372036854775807; ' +
      `/${label} must be ${minLength} to ${maxLength} code points long`,
  );
  await plants.create(plantOf(1n));
  const other = plants.create({ id: 1n, ...whole });
  await rejects(other).toMatchObject({ problem: { status: 409 } });
  const stranger = plantStoreClient({ baseUrl: service.baseUrl, token: 'pst_' });
  await rejects(stranger.list().next()).toMatchObject({ problem: { status: 401 } });
  // It is no deletion of a plant that is missing.
  const lost = await client('problems', service.baseUrl.replace('/v1', '/v1/v1'));
  const type = 'urn:problem-type:plant-store:no-such-operation';
  await rejects(lost.delete(1n)).toMatchObject({ problem: { type } });
});

/** Answers with a status, and with what a call expects to read. */
const status =
  (code: number, retryAfter = '0'): RequestListener =>
  ({ method }, response) => {
    const isProblem = code >= 400;
    response.writeHead(code, {
      'Content-Type': isProblem ? 'application/problem+json' : 'application/json',
      ...(isProblem && { 'Retry-After': retryAfter }),
    });
    const type = `urn:problem-type:plant-store:${code === 404 ? 'plant-not-found' : 'unavailable'}`;
    const problem = { type, status: code, title: '', detail: '' };
    const success = method === 'GET' ? [answered()] : answered();
    response.end(code === 204 ? undefined : JSON.stringify(isProblem ? problem : success));
  };

const calls = {
  create: (plants, options) => plants.create(plantOf(1n), options),
  list: (plants, options) => all(plants.list(1000, options)),
  delete: (plants, options) => plants.delete(1n, options),
} satisfies Record<string, (plants: Client, options: CallOptions) => Promise<unknown>>;

/** The time limit of the last request, which a test can end. */
let timeLimit: AbortController;

interface Options extends Partial<ClientOptions & CallOptions> {
  /** What a wait of the client is, instead of time. */
  onWait?: (end: () => void) => unknown;
}

/** Answers the requests of a client one after the other, and returns what has come of its call. */
async function outcomeOf(
  call: keyof typeof calls,
  replies: RequestListener[],
  { signal, onWait = setImmediate, ...options }: Options = {},
) {
  let requests = 0;
  const waits: unknown[] = [];
  const server = createServer((request, response) => {
    requests += 1;
    (replies[requests - 1] ?? status(500))(request, response);
  });
  const baseUrl = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    expect(ms).toBe(1234);
    timeLimit = new AbortController();
    return timeLimit.signal;
  });
  const wait = (end: () => void, ms?: number) => {
    waits.push(ms);
    onWait(end);
  };
  const clock = jest.spyOn(globalThis, 'setTimeout').mockImplementation(wait as never);
  const plants = plantStoreClient({ baseUrl, token: '', timeout: 1234, retries: 2, ...options });
  const [result] = await Promise.allSettled([calls[call](plants, { signal })]);
  clock.mockRestore();
  server.close().closeAllConnections();
  return { ...result, requests, waits };
}

const faults: [what: string, fault: RequestListener][] = [
  ['is answered 503', status(503)],
  ['meets a reset connection', ({ socket }) => socket.resetAndDestroy()],
  ['meets a closed connection', ({ socket }) => socket.destroy()],
  ['is never answered', () => timeLimit.abort()],
  [
    'is answered by halves',
    ({ socket }, response) =>
      response.writeHead(200, { 'Content-Length': 99 }).write('[', () => socket.destroy()),
  ],
];
const rejected = { status: 'rejected', requests: 1 };
const repeated = (value: unknown) => ({ value, requests: 2 });
const onlyWriter = true;
type Row = [what: string, keyof typeof calls, code: number, Options, outcome: object];
describe.each(faults)('a call that %s', (_, fault) => {
  test.each<Row>([
    ['repeated if it is a list', 'list', 200, {}, repeated([answered()])],
    ['not repeated if it is a create', 'create', 201, {}, rejected],
    ['not repeated if it is a delete', 'delete', 204, {}, rejected],
    ['repeated if an only writer creates', 'create', 200, { onlyWriter }, repeated(answered())],
    // The first attempt may have deleted it.
    ['repeated if an only writer deletes', 'delete', 404, { onlyWriter }, repeated(true)],
    ['not repeated too often', 'list', 200, { retries: 0 }, rejected],
  ])('is %s', async (_, call, code, options, expected) => {
    expect(await outcomeOf(call, [fault, status(code)], options)).toMatchObject(expected);
  });
});

test.each<[keyof typeof calls, code: number, value: unknown]>([
  ['create', 201, answered()],
  ['list', 200, [answered()]],
  ['delete', 204, true],
  // Nothing can have deleted it but another client.
  ['delete', 404, false],
])('a %s that was answered 429 is repeated, and its %i counts', async (call, code, value) => {
  const busy = status(429);
  expect(await outcomeOf(call, [busy, busy, status(code)])).toMatchObject({ value, requests: 3 });
  const outcome = await outcomeOf(call, [busy, busy, busy, status(code)]);
  expect(outcome).toMatchObject({ status: 'rejected', requests: 3 });
});

test('a list that meets a refused connection is repeated', async () => {
  const free = createServer(status(200));
  const port = await listen(free, 0, '127.0.0.1');
  await new Promise((resolve) => free.close(resolve));
  const baseUrl = `http://127.0.0.1:${port}`;
  const onWait = (end: () => void) => free.listen(port, '127.0.0.1', end);
  expect(await outcomeOf('list', [], { baseUrl, onWait })).toMatchObject({ value: [answered()] });
  free.close();
});

test.each([
  ['7', 7000],
  ['Fri, 02 Jan 2026 03:04:15 GMT', 10_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', 1000],
  // Date.parse would take these for dates long past.
  ['-5', 1000],
  ['1.5', 1000],
  // Two headers, as from a proxy and the API.
  ['2, 2', 1000],
  // A longer timer would end at once.
  ['999999999', 2 ** 31 - 1],
])('a Retry-After of %j is waited for', async (retryAfter, ms) => {
  jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-01-02T03:04:05Z'));
  const outcome = await outcomeOf('delete', [status(429, retryAfter), status(204)]);
  expect(outcome).toMatchObject({ value: true, requests: 2, waits: [ms] });
});

test.each(['create', 'list', 'delete'] as const)('a signal ends a %s that waits', async (call) => {
  for (const reply of [undefined, status(429)]) {
    const controller = new AbortController();
    const { signal } = controller;
    const onWait = () => setImmediate(() => controller.abort());
    // It waits for an answer, or to be repeated.
    const outcome = await outcomeOf(call, [reply ?? onWait], { signal, onWait });
    expect(outcome).toMatchObject({ reason: signal.reason, requests: 1 });
  }
});

test('an error of a proxy is told with its status and text', async () => {
  const badGateway: RequestListener = (_, response) =>
    response.writeHead(502, { 'Content-Type': 'text/plain' }).end('no upstream');
  expect(await outcomeOf('delete', [badGateway])).toMatchObject({
    reason: new Error('502 Bad Gateway: no upstream'),
  });
});

/** Answers what the API never does. */
const foreign =
  (code: number, headers: Record<string, string>, body = ''): RequestListener =>
  (_, response) =>
    response.writeHead(code, headers).end(body);
const json = { 'Content-Type': 'application/json' };
const problem = { 'Content-Type': 'application/problem+json' };
const plantText = JSON.stringify(answered());
const redirected = /^The call is redirected to \/elsewhere\. .* check the base URL\.$/;

describe.each<[what: string, reply: RequestListener, message: RegExp]>([
  ['a moved page', foreign(301, { Location: '/elsewhere' }), redirected],
  ['a redirect that keeps the method', foreign(307, { Location: '/elsewhere' }), redirected],
  ['a success without content to come', foreign(202, json, plantText), /^202 Accepted: /],
  ['a partial answer', foreign(206, json, plantText), /^206 Partial Content: /],
  ["a firewall's problem", foreign(403, problem, '{}'), /^403 Forbidden: \{}$/],
  ['a problem of another kind', foreign(400, problem, '{"errors":{}}'), /^400 Bad Request: /],
  ['a problem that is null', foreign(400, problem, 'null'), /^400 Bad Request: null$/],
  ['a problem that is cut', foreign(500, problem, '{"ti'), /^500 Internal Server Error: \{"ti$/],
])('a call that is answered with %s', (_, reply, message) => {
  test.each(['create', 'list', 'delete'] as const)('fails if it is a %s', async (call) => {
    // A redirect that was followed would meet a success.
    const outcome = await outcomeOf(call, [reply, status(call === 'delete' ? 204 : 200)]);
    expect(outcome).toMatchObject({ status: 'rejected', requests: 1 });
    expect(outcome).toHaveProperty('reason.message', expect.stringMatching(message));
  });
});

test.each([
  ['create', 204],
  ['list', 201],
  ['list', 204],
  ['delete', 200],
  ['delete', 201],
] as const)('a %s that is answered %i, which is no answer to it, fails', async (call, code) => {
  expect(await outcomeOf(call, [status(code)])).toMatchObject({ status: 'rejected' });
});

test.each(['create', 'list'] as const)('a %s that gets a login page fails', async (call) => {
  const portal = foreign(200, { 'Content-Type': 'text/html' }, '<h1>Welcome</h1>');
  expect(await outcomeOf(call, [portal])).toMatchObject({
    reason: new Error('The answer is no JSON but text/html, so the plant store did not send it.'),
  });
});

test.each(['create', 'list'] as const)('a %s whose JSON is cut says so', async (call) => {
  const outcome = await outcomeOf(call, [foreign(200, json, '[{"na')]);
  const message = '200 OK, but its JSON is incomplete: [{"na';
  expect(outcome).toHaveProperty('reason.message', message);
});

test('a media type in capitals is the same type', async () => {
  const capitals = { 'Content-Type': 'Application/JSON; charset=utf-8' };
  const outcome = await outcomeOf('create', [foreign(201, capitals, plantText)]);
  expect(outcome).toMatchObject({ value: answered() });
});

test('a redirect that a browser hides is told as one', async () => {
  // A browser's answer to a redirect has the status 0 too, and no headers.
  jest.spyOn(globalThis, 'fetch').mockResolvedValue(Response.error());
  expect(await outcomeOf('delete', [])).toHaveProperty(
    'reason.message',
    'The call is redirected to another URL. The API redirects no call, so check the base URL.',
  );
});

test('the token does not go to another host that a link names', async () => {
  const others: string[] = [];
  const other = createServer((request, response) => {
    others.push(`${request.headers.authorization}`);
    status(200)(request, response);
  });
  const port = await listen(other, 0, '127.0.0.1');
  finallyDo(() => other.close());
  const link = { ...json, Link: `<http://127.0.0.1:${port}/v1/plants>; rel="next"` };
  const outcome = await outcomeOf('list', [foreign(200, link, `[${plantText}]`)]);
  expect(outcome).toHaveProperty('reason.message', expect.stringMatching(/^The next page is on/));
  expect(others).toEqual([]);
});

test('the client and the example of docs/clients.md compile in a new project', () => {
  const cwd = temporaryFolder();
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const tsc = (option: string) =>
    spawnSync(process.execPath, [compiler, option], { cwd, encoding: 'utf8' });
  tsc('--init');
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  for (const file of ['client.ts', 'client-types.ts']) {
    copyFileSync(join(root, 'docs', file), join(cwd, file));
  }
  const [, example = ''] = /^```ts\n(.*?)^```/ms.exec(readPage('docs/clients.md')) ?? [];
  writeFileSync(join(cwd, 'example.ts'), example);
  expect(tsc('--noEmit')).toMatchObject({ status: 0, stdout: '' });
});
