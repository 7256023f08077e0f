import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { gateway, type HandledRequest } from '../../lib/offline/gateway.ts';
import { caught, listen } from '../../lib/offline/listen.ts';
import { tokenAuthorizer } from '../../lib/offline/token-authorizer.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/http/http-client.ts';

// The gateway alone. Its functions return the event, or the result that a test sets.

/** The functions called so far. */
const calls: string[] = [];
const handled: HandledRequest[] = [];
let result: string | undefined;
let isDenied = false;

async function call(entry: string, event: object) {
  calls.push(entry);
  const { methodArn = '' } = event as { methodArn?: string };
  const [api, stage] = methodArn.split('/');
  const allowed = ['GET/plants', 'GET/plants/', 'DELETE/plants/*'];
  const Resource = allowed.map((pattern) => `${api}/${stage}/${pattern}`);
  const policy = { Statement: [{ Effect: isDenied ? 'Deny' : 'Allow', Resource }] };
  const verdict = { principalId: 'alice', policyDocument: policy, context: { owner: 'alice' } };
  const echo = { statusCode: 200, body: JSON.stringify(event) };
  const payload = JSON.stringify(entry === 'authorize' ? verdict : echo);
  return { id: 0, payload: entry === 'authorize' ? payload : (result ?? payload), log: [] };
}

const { listener, forgetPolicies } = gateway({
  call,
  cacheSeconds: 60,
  onResponse: (request) => handled.push(request),
});
const server = createServer(listener);
let origin: string;
beforeAll(async () => {
  origin = await listen(server, 0);
});
afterAll(() => server.close().closeAllConnections());

const token = forge();
interface RequestOptions {
  method?: string;
  headers?: string[];
  body?: string | Buffer;
}
async function request(path: string, { headers = [], ...options }: RequestOptions = {}) {
  const authorization = ['Authorization', `Bearer ${token}`];
  return send(origin, { path, headers: [...authorization, ...headers], ...options });
}

test('a function gets the parts of a request in the form of API Gateway', async () => {
  const path = '/v1/plants/a%2Fb%C3%A9/?x=1&y=%C3%A9+a;x=2&__proto__=3&?=4';
  const headers = ['X-Twice', 'a', 'x-other', 'b', 'X-Twice', 'c'];
  const { body } = await request(path, {
    method: 'DELETE',
    headers,
    body: Buffer.from('é\xff', 'latin1'),
  });
  expect(JSON.parse(body)).toMatchObject({
    resource: '/plants/{id}',
    path: '/plants/a%2Fb%C3%A9/',
    httpMethod: 'DELETE',
    headers: { 'X-Twice': 'c', 'x-other': 'b' },
    multiValueHeaders: { 'X-Twice': ['a', 'c'], 'x-other': ['b'] },
    queryStringParameters: { x: '2', y: 'é a', '?': '4' },
    multiValueQueryStringParameters: JSON.parse('{"x":["1","2"],"y":["é a"],"__proto__":["3"]}'),
    pathParameters: { id: 'a%2Fb%C3%A9' },
    requestContext: {
      path: '/v1/plants/a%2Fb%C3%A9/',
      authorizer: { principalId: 'alice', owner: 'alice' },
    },
    // Bytes that are not UTF-8.
    body: '\ufffd\ufffd',
    isBase64Encoded: false,
  });
});

test('a request without a query or a body has none in its event', async () => {
  const { body } = await request('/v1/plants?');
  const event = JSON.parse(body);
  expect(event).toMatchObject({ body: null, queryStringParameters: null, pathParameters: {} });
  expect(event.multiValueQueryStringParameters).toBeNull();
});

test.each([
  ['/v1/plants/', 200],
  ['/v1//plants', 200],
  ['/v1/plants//', 404],
  ['/v1', 404],
  ['/v2/plants', 404],
  ['/plants', 404],
  ['/v1/%70lants', 404],
  ['/v1/__proto__', 404],
])('a list at %s returns %i', async (path, status) => {
  expect((await request(path)).status).toBe(status);
});

test.each([
  'null',
  '7',
  '"text"',
  '{}',
  '{"statusCode":"x"}',
  '{"statusCode":101}',
  '{"statusCode":200,"body":{}}',
  '{"statusCode":200,"headers":{"a b":"c"}}',
  '{"statusCode":200,"headers":{"a":"b\\nc"}}',
  'no JSON',
])(
  'a function that returns %s is unavailable, and the next request is served',
  async (nonsense) => {
    result = nonsense;
    const { status, headers, body } = await request('/v1/plants');
    result = undefined;
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(body)).toMatchObject({ type: 'urn:problem-type:plant-store:unavailable' });
    expect(handled.at(-1)?.failure?.stack).toMatch(/^\w*Error/);
    expect((await request('/v1/plants')).status).toBe(200);
  },
);

test('a body above 10 MB returns 413 in plain text', async () => {
  const body = Buffer.alloc(10 * 1024 * 1024 + 1);
  expect(await request('/v1/plants', { method: 'POST', body })).toMatchObject({
    status: 413,
    headers: { 'content-type': 'text/plain' },
    body: 'HTTP content length exceeded 10485760 bytes.',
  });
});

test('a policy is cached by token, and evaluated for each method', async () => {
  forgetPolicies();
  calls.length = 0;
  expect((await request('/v1/plants')).status).toBe(200);
  const { status, headers, body } = await request('/v1/plants', { method: 'POST' });
  expect(status).toBe(403);
  expect(headers['www-authenticate']).toContain('error="insufficient_scope"');
  expect(JSON.parse(body).type).toBe('urn:problem-type:plant-store:insufficient-scope');
  expect(calls).toEqual(['authorize', 'list-plants']);

  isDenied = true;
  expect((await request('/v1/plants')).status).toBe(200);
  forgetPolicies();
  expect((await request('/v1/plants')).status).toBe(403);
  isDenied = false;
  forgetPolicies();
});

test('a malformed token returns 401 without a call of the authorizer', async () => {
  calls.length = 0;
  for (const header of ['', 'Bearer', `Basic ${token}`, `Bearer ${token}0`]) {
    const { status, headers } = await send(origin, {
      path: '/v1/plants',
      headers: ['Authorization', header],
    });
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="plant-store"']);
  }
  expect(calls).toEqual([]);
});

test('a client that disconnects before the end of its body gets no response', async () => {
  const before = handled.length;
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.write('POST /v1/plants HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
  await eventually('a request', () => socket.bytesWritten > 0);
  socket.end();
  await eventually('the close of the connection', text(socket));
  expect((await request('/v1/plants')).status).toBe(200);
  expect(handled).toHaveLength(before + 1);
});

test('a listener that throws aborts its request, and the next one is served', async () => {
  const printed = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  const throwing = createServer(
    caught(({ url }, response) => {
      if (url === '/throws') {
        throw new Error('a bug of ours');
      }
      response.end();
    }),
  );
  const base = await listen(throwing, 0);
  await expect(send(base, { path: '/throws' })).rejects.toThrow();
  expect((await send(base, { path: '/' })).status).toBe(200);
  expect(printed).toHaveBeenCalledWith(new Error('a bug of ours'));
  printed.mockRestore();
  throwing.close().closeAllConnections();
});

test('a policy is cached for 60 s', async () => {
  const now = jest.spyOn(performance, 'now');
  const authorization = `Bearer ${forge()}`;
  const policyDocument = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Resource: '*' }] };
  const payload = JSON.stringify({ principalId: 'ann', policyDocument });
  const judge = jest.fn(async () => ({ id: 1, payload, log: [] }));
  const { authorize } = tokenAuthorizer(judge, 60);
  for (const [time, judged] of [
    [0, 1],
    [59_999, 1],
    [60_000, 2],
  ] as const) {
    now.mockReturnValue(time);
    await authorize(authorization, 'arn', []);
    expect(judge).toHaveBeenCalledTimes(judged);
  }
  now.mockRestore();
});
