import { createServer, type RequestListener, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type Plant, PlantStoreError, plantStoreClient } from '../../docs/client.ts';
import { listen } from '../../lib/emulator/listen.ts';
import { type Service, startService } from '../support/service/service.ts';

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
    const monstera = { name: 'Monstera', tag: 'indoor' };
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
  expect(await plants.list(2).next()).toEqual({
    done: false,
    value: { name: 'Plant 0', tag: '' },
  });
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

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

/** Starts a server until the test ends, and returns its address. */
async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  return `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
}

/** Answers with these statuses, one after the other, and returns what to call and what has come. */
async function answering(...statuses: number[]) {
  const requests: string[] = [];
  const baseUrl = await serve((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const status = statuses[requests.length - 1] ?? 500;
    const isBusy = status === 429 || status === 503;
    response.writeHead(status, {
      'Content-Type': status < 300 ? 'application/json' : 'application/problem+json',
      ...(isBusy && { 'Retry-After': '0' }),
    });
    const body = status < 300 ? { name: 'Aloe', tag: '' } : { status, title: '', detail: '' };
    response.end(status === 204 ? undefined : JSON.stringify(body));
  });
  return { plants: plantStoreClient({ baseUrl, token: '', retries: 2 }), requests };
}

test('a call that was answered 429 or 503 is repeated', async () => {
  const { plants, requests } = await answering(429, 503, 201);
  expect(await plants.create({ id: 1n, name: 'Aloe' })).toEqual({ name: 'Aloe', tag: '' });
  expect(requests).toEqual(Array(3).fill('POST /plants'));
});

test('a call that is always answered 503 rejects in the end', async () => {
  const { plants, requests } = await answering(503, 503, 503, 201);
  expect(await problemOf(plants.create({ id: 1n, name: 'Aloe' }))).toMatchObject({ status: 503 });
  expect(requests).toHaveLength(3);
});

test.each([
  [503, true],
  [429, false],
])('a delete that finds nothing after a %i resolves to %s', async (status, deleted) => {
  const { plants } = await answering(status, 404);
  expect(await plants.delete(1n)).toBe(deleted);
});

test('the client waits for as long as Retry-After says', async () => {
  let waited = 0;
  const began = Date.now();
  const baseUrl = await serve((_, response) => {
    const isFirst = waited === 0;
    waited = Date.now() - began;
    response.writeHead(isFirst ? 503 : 204, { 'Retry-After': '1' }).end();
  });
  expect(await plantStoreClient({ baseUrl, token: '' }).delete(1n)).toBe(true);
  expect(waited).toBeGreaterThanOrEqual(1000);
});

test('an error of a proxy is told with its status and text', async () => {
  const baseUrl = await serve((_, response) => {
    response.writeHead(502, { 'Content-Type': 'text/plain' }).end('no upstream');
  });
  await expect(plantStoreClient({ baseUrl, token: '' }).delete(1n)).rejects.toThrow(
    '502 Bad Gateway: no upstream',
  );
});
