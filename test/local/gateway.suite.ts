import { once } from 'node:events';
import { request as startRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, jest, test } from '@jest/globals';
import { gatewayResponses } from '../../functions/shared/gateway-responses.ts';
import { gateway, type HandledRequest } from '../../lib/local/gateway/gateway.ts';
import { isAllowed, tokenAuthorizer } from '../../lib/local/gateway/token-authorizer.ts';
import type { CallFunction, Outcome } from '../../lib/local/runtime/functions.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { eventually } from '../support/eventually.ts';
import { type HttpRequest, send } from '../support/http/http-client.ts';
import { serve } from '../support/http/servers.ts';

// The gateway alone. Each test starts one.

const token = forge();
const bearer = ['Authorization', `Bearer ${token}`];

/** Calls a function, which returns its event, or a result as JSON. */
async function echo(entry: string, event: object, result?: string): Promise<Outcome> {
  const response = { statusCode: 200, body: JSON.stringify(event) };
  const payload = entry === 'authorize' ? makeVerdict(event) : (result ?? JSON.stringify(response));
  return { payload, log: [`{"code":"${entry}"}`] };
}

/** Returns the authorizer's result as JSON. */
function makeVerdict(event: { methodArn?: string }, Effect = 'Allow'): string {
  const [api, stage] = `${event.methodArn}`.split('/');
  const allowed = ['GET/plants', 'GET/plants/', 'DELETE/plants/*'];
  const Resource = allowed.map((pattern) => `${api}/${stage}/${pattern}`);
  const policyDocument = { Statement: [{ Effect, Resource }] };
  return JSON.stringify({ principalId: 'alice', policyDocument, context: { owner: 'alice' } });
}

interface Options {
  call?: CallFunction;
  corsOrigin?: string;
}

/** Starts a gateway. The calls of its functions and its handled requests are recorded. */
async function startGateway({ call = echo, corsOrigin }: Options = {}) {
  const calls: [entry: string, event: object][] = [];
  const handled: HandledRequest[] = [];
  const { listener, forgetPolicies } = gateway({
    call: (entry, event) => {
      calls.push([entry, event]);
      return call(entry, event);
    },
    corsOrigin,
    cacheSeconds: 60,
    onResponse: (request) => handled.push(request),
  });
  const origin = await serve(listener);
  const request = (path: string, { headers = [], ...options }: Omit<HttpRequest, 'path'> = {}) =>
    send(origin, { path, headers: [...bearer, ...headers], ...options });

  /** Returns a value with ID in place of the last request's id, HOST, TOKEN and DATE. */
  function mask(value: object): unknown {
    const masked = JSON.stringify(value)
      .replaceAll(`${handled.at(-1)?.id}`, 'ID')
      .replaceAll(new URL(origin).host, 'HOST')
      .replaceAll(token, 'TOKEN');
    return JSON.parse(masked.replace(/"date":"[^"]+"/, '"date":"DATE"'));
  }

  return { origin, calls, handled, forgetPolicies, request, mask };
}

/** Facts about API Gateway, each with the place where it was recorded. */
const localstack = 'localstack/localstack tests/aws/services/apigateway';
const results = `${localstack}/test_apigateway_lambda.py::test_aws_proxy_response_payload_format_validation`;
const invocations = `${localstack}/test_apigateway_lambda.py::test_lambda_aws_proxy_integration`;
const remapping =
  `${localstack}/test_apigateway_integrations.py::TestApiGatewayHeaderRemapping::` +
  'test_apigateway_header_remapping_aws[AWS_PROXY]';
const notFound = `${localstack}/test_apigateway_common.py::TestApigatewayRouting::test_routing_not_found`;
const azul = 'DataBiosphere/azul issue 7470, access logs';
const outside = 'OWASP/Serverless-Goat issue 14 and berislavlopac/plambdapi issue 6';

/** Headers of every response of the gateway and the functions. */
const common = {
  'cache-control': 'no-store',
  connection: 'close',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  date: 'DATE',
  'strict-transport-security': 'max-age=63072000',
  'x-content-type-options': 'nosniff',
  'x-request-id': 'ID',
};
const exposed = 'Link, Location, Retry-After, X-Request-Id, Access-Token-Expires';
const preflightOfAll = {
  status: 204,
  headers: {
    ...common,
    'access-control-allow-headers': 'Authorization,Content-Type',
    'access-control-allow-methods': 'POST,GET,DELETE',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': exposed,
    'access-control-max-age': '3600',
  },
  body: '',
};

test('with an origin for CORS, preflights and errors of the gateway name it', async () => {
  const allowed = { 'access-control-allow-origin': 'https://plants.example' };
  const { origin, mask } = await startGateway({ corsOrigin: 'https://plants.example' });
  const headers = ['Origin', 'https://b.io', 'Access-Control-Request-Method', 'POST'];
  const preflight = (path: string) => send(origin, { method: 'OPTIONS', path, headers });
  for (const path of ['/v1/plants', '/v1/plants/7', '/v1', '/v1/']) {
    expect(mask(await preflight(path))).toEqual({
      ...preflightOfAll,
      headers: { ...preflightOfAll.headers, ...allowed, vary: 'Origin' },
    });
  }
  const { body, ...error } = await send(origin, { path: '/v1/plants' });
  expect(mask(error)).toEqual({
    status: 401,
    headers: {
      ...common,
      ...allowed,
      'access-control-expose-headers': exposed,
      'content-length': `${body.length}`,
      'content-type': 'application/problem+json',
      'www-authenticate': 'Bearer realm="plant-store"',
    },
  });
  expect(mask(JSON.parse(body))).toEqual({
    type: 'urn:problem-type:plant-store:unauthorized',
    title: 'Unauthorized',
    status: 401,
    detail: 'A valid access token is required: Authorization: Bearer <ACCESS_TOKEN>.',
    instance: 'ID',
  });
  expect((await preflight('/v1/nothing')).status).toBe(404);
  expect((await preflight('/plants')).status).toBe(403);
});

test('without an origin for CORS, a preflight returns 404, and for all origins its Vary is missing', async () => {
  const options = { method: 'OPTIONS' };
  const without = await startGateway();
  expect((await without.request('/v1/plants', options)).status).toBe(404);
  const { request, mask } = await startGateway({ corsOrigin: '*' });
  expect(mask(await request('/v1/plants', options))).toEqual(preflightOfAll);
});

// Recorded there as invocation-payload-with-params-encoding and its variant with several values.
test(`functions and the log get a request in the form of API Gateway (${invocations})`, async () => {
  const { origin, calls, handled, mask } = await startGateway({
    call: (entry, event) => echo(entry, event, '{"statusCode":200,"body":"[]"}'),
  });
  const before = performance.now();
  const sent = {
    method: 'DELETE',
    path: '/v1/plants/a%2Fb%C3%A9/?x=1&y=%C3%A9+a;x=2;__proto__=3&?=http://b/c',
    headers: [...bearer, 'X-Twice', 'a', 'x-other', 'b', 'X-Twice', 'c', 'User-Agent', 'curl/8'],
    // Bytes that are not UTF-8 become U+FFFD.
    body: Buffer.from('é\xff', 'latin1'),
  };
  await send(origin, sent);
  const { ms, ...logged } = handled.at(-1) as HandledRequest;
  expect(mask({ calls, logged })).toMatchSnapshot();
  expect(logged.id).toMatch(/^[0-9a-f-]{36}$/);
  expect(ms).toBeLessThan(performance.now() - before);
});

const broken = { message: 'broken', stack: 'Error: broken' };
const refusal = { message: 'Unauthorized', stack: 'Error: Unauthorized' };
test.each([
  { entry: 'authorize', outcome: { failure: refusal }, status: 401, failure: undefined },
  { entry: 'authorize', outcome: { failure: broken }, status: 503, failure: broken },
  { entry: 'authorize', outcome: {}, status: 503, failure: undefined },
  { entry: 'list-plants', outcome: { failure: broken }, status: 503, failure: broken },
])('the outcome $outcome of $entry returns $status', async (row) => {
  const { request, handled } = await startGateway({
    call: async (entry, event) => {
      const { log, payload } = await echo(entry, event);
      return entry === row.entry ? { ...row.outcome, log } : { payload, log };
    },
  });
  expect((await request('/v1/plants')).status).toBe(row.status);
  const log = [...new Set(['authorize', row.entry])].map((code) => `{"code":"${code}"}`);
  expect(handled.at(-1)).toMatchObject({ failure: row.failure, log });
});

test('an authorizer without a policy aborts its request, and its error is logged', async () => {
  const log = jest.spyOn(console, 'error').mockReturnValue();
  const { request } = await startGateway({ call: async () => ({ payload: '{}', log: [] }) });
  await expect(request('/v1/plants')).rejects.toThrow('socket hang up');
  const [[error] = []] = log.mock.calls;
  log.mockRestore();
  expect(error).toBeInstanceOf(TypeError);
});

test.each([
  ['HTTP://localhost/v1/plants', 200],
  ['https://evil.example:81/v1/plants', 200],
  ['/v1/plants//', 404],
  ['/v1/%70lants', 404],
  ['/v1/plants/../plants', 404],
])('a list at %s returns %i', async (path, status) => {
  const { request } = await startGateway();
  expect((await request(path)).status).toBe(status);
});

test(`a status alone is an empty body in JSON (${results} invoke-api-no-body)`, async () => {
  const { request, mask } = await startGateway({
    call: (entry, event) => echo(entry, event, '{"statusCode":200}'),
  });
  expect(mask(await request('/v1/plants'))).toEqual({
    status: 200,
    headers: {
      connection: 'close',
      'content-length': '0',
      'content-type': 'application/json',
      date: 'DATE',
    },
    body: '',
  });
});

test.each([
  // Recorded there as invoke-api-just-string.
  ['"justAString"', 'The function returned no object: "justAString"'],
  ['null', 'The function returned no object: null'],
  // Recorded there as invoke-api-only-headers, with an empty 200.
  ['{"headers":{"a":"b"}}', 'The result has no statusCode. API Gateway would send an empty 200.'],
])(`the result %s returns 503 and logs “%s” (${results})`, async (result, message) => {
  const { request, handled } = await startGateway({
    call: (entry, event) => echo(entry, event, result),
  });
  const { status, headers, body } = await request('/v1/plants');
  expect([status, headers['retry-after']]).toEqual([503, undefined]);
  expect(JSON.parse(body)).toMatchObject({ type: 'urn:problem-type:plant-store:unavailable' });
  const stack = expect.stringMatching(/^\w*Error/);
  expect(handled.at(-1)?.failure).toMatchObject({ message, stack });
});

const nothing = {
  pathParameters: null,
  queryStringParameters: null,
  multiValueQueryStringParameters: null,
  body: null,
  requestContext: { identity: { userAgent: null } },
};
// Recorded there as invocation-payload-with-prepended-slash-to-stage, -with-prepended-slash and
// -with-path-encoded-email, and as invocation-hardcoded.
test.each<[fact: string, line: string, event: object]>([
  [
    'slashes before the stage are one',
    'GET //v1/plants',
    { requestContext: { path: '/v1/plants' } },
  ],
  [
    'slashes after the stage stay in requestContext.path',
    'GET /v1//plants',
    { path: '/plants', requestContext: { path: '/v1//plants' } },
  ],
  ['a request without parameters and a body has null for them', 'GET /v1/plants?', nothing],
  [
    'a plus and %2B stay in a path',
    'DELETE /v1/plants/test%2Balias+x',
    { pathParameters: { id: 'test%2Balias+x' } },
  ],
  [
    'more than 1,000 parameters are whole',
    `GET /v1/plants?${'x=1&'.repeat(1500)}y=2`,
    { queryStringParameters: { x: '1', y: '2' } },
  ],
])(`%s (${invocations})`, async (_, line, event) => {
  const { request } = await startGateway();
  const [method = '', path = ''] = line.split(' ');
  const { body } = await request(path, { method });
  expect(JSON.parse(body)).toMatchObject(event);
});

test(`twelve headers do not reach a function (${remapping})`, async () => {
  const dropped = [
    ...['Connection', 'close', 'Content-Length', '0', 'Content-MD5', 'x', 'Max-Forwards', '2'],
    ...['Proxy-Authenticate', 'Basic', 'Server', 'x', 'TE', 'deflate'],
    ...['Upgrade', 'HTTP/2.0', 'WWW-Authenticate', 'Basic', 'Expect', '100-continue'],
  ];
  const passed = ['Age', '1', 'Date', 'x', 'Via', 'x', 'Referer', 'x'];
  const chunked = { body: '', headers: ['transfer-encoding', 'chunked', 'Trailer', 'Expires'] };
  const { request } = await startGateway();
  const received = [
    await request('/v1/plants', { headers: [...dropped, ...passed] }),
    await request('/v1/plants', chunked),
  ].map(({ body }) => Object.keys(JSON.parse(body).headers));
  const own = ['Host', 'Authorization'];
  expect(received).toEqual([[...own, 'Age', 'Date', 'Via', 'Referer'], own]);
});

test.each([
  ...['/v2/plants', '/plants', '//evil.example/v1/plants', '/V1/plants', '/', '*'],
  'http://localhost',
])(`%s is outside the stage, and returns API Gateway’s own 403 (${outside})`, async (path) => {
  const { request, handled } = await startGateway();
  const { status, headers, body } = await request(path);
  expect([status, body]).toEqual([403, '{"message":"Forbidden"}']);
  expect(headers['content-type']).toBe('application/json');
  expect(headers).not.toHaveProperty('x-request-id');
  expect(handled.at(-1)).toMatchObject({ url: path, log: [] });
});

test.each([
  { type: 'MISSING_AUTHENTICATION_TOKEN', statuses: [429, 404, 404], source: notFound },
  { type: 'DEFAULT_4XX', statuses: [404, 429, 429], source: azul },
])(
  'an unknown operation without a token, and two with one, return $statuses if $type is 429 ($source)',
  async ({ type, statuses }) => {
    const { origin, request } = await startGateway();
    const responses = gatewayResponses as Record<string, string>;
    const replaced = jest.replaceProperty(responses, type, 'too-many-requests');
    const received = [
      await send(origin, { path: '/v1/nothing' }),
      await request('/v1/nothing'),
      await request('/v1/plants', { method: 'PUT' }),
    ];
    replaced.restore();
    expect(received.map(({ status }) => status)).toEqual(statuses);
  },
);

test('a body of 10 MB reaches the authorizer, and one above returns 413 in plain text, without being kept', async () => {
  const { origin, request } = await startGateway();
  const body = Buffer.alloc(10 * 1024 * 1024);
  expect((await request('/v1/plants', { method: 'POST', body })).status).toBe(403);
  const kept = jest.spyOn(Buffer, 'concat');
  const sent = startRequest(`${origin}/v1/plants`, { method: 'POST', agent: false });
  // Three chunks.
  sent.write(body);
  sent.write('x');
  sent.end('y');
  const [response] = await once(sent, 'response');
  const [whole] = kept.mock.results;
  kept.mockRestore();
  expect(whole?.value).toHaveLength(10 * 1024 * 1024 + 1);
  expect(response).toMatchObject({ statusCode: 413, headers: { 'content-type': 'text/plain' } });
  expect(await text(response)).toBe('HTTP content length exceeded 10485760 bytes.');
});

test('a policy is cached by token, and evaluated for each method', async () => {
  let Effect = 'Allow';
  const { calls, handled, forgetPolicies, request } = await startGateway({
    call: async (entry, event) =>
      entry === 'authorize'
        ? { payload: makeVerdict(event, Effect), log: [] }
        : await echo(entry, event),
  });
  expect((await request('/v1/plants')).status).toBe(200);
  expect((await request('/v1/plants', { method: 'POST' })).status).toBe(403);
  expect(calls.map(([entry]) => entry)).toEqual(['authorize', 'list-plants']);
  expect(handled.at(-1)?.log).toEqual([]);

  Effect = 'Deny';
  expect((await request('/v1/plants')).status).toBe(200);
  forgetPolicies();
  expect((await request('/v1/plants')).status).toBe(403);
});

test('a Deny of a policy takes precedence over an Allow', () => {
  const Version = '2012-10-17';
  const allow = { Effect: 'Allow' as const, Action: '*', Resource: 'api/*/x' };
  const deny = { Effect: 'Deny' as const, Action: '*', Resource: 'api/POST/*' };
  const policy = { Version, Statement: [allow, deny] };
  // A pattern is for the whole of a method, and a method without a statement is denied.
  const methods = ['api/a/b/x', 'api/POST/x', 'api/a', 'my-api/a/x', 'api/a/xy'];
  expect(methods.filter((method) => isAllowed(policy, method))).toEqual(['api/a/b/x']);
});

test('the last Authorization counts, and returns 401 without a call of the authorizer if malformed', async () => {
  const { calls, handled, request } = await startGateway();
  for (const header of ['', `Basic ${token}`, `Bearer ${token}0`]) {
    const { status } = await request('/v1/plants', { headers: ['Authorization', header] });
    expect(status).toBe(401);
    expect(handled.at(-1)).toMatchObject({ authorization: header, log: [] });
  }
  expect(calls).toEqual([]);
});

test('a request that is cut off in its body gets Node’s own 400, and is neither logged nor an error', async () => {
  const printed = jest.spyOn(console, 'error').mockReturnValue();
  const { origin, handled, request } = await startGateway();
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.write('POST /v1/plants HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
  await eventually('a request', () => socket.bytesWritten > 0);
  socket.end();
  const response = await eventually('the close of the connection', text(socket));
  expect(response).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  expect((await request('/v1/plants')).status).toBe(200);
  expect(handled).toHaveLength(1);
  expect(printed).not.toHaveBeenCalled();
  printed.mockRestore();
});

test('a policy is cached for 60 s and then released, also beside newer ones', async () => {
  const now = jest.spyOn(performance, 'now');
  const released = jest.spyOn(Map.prototype, 'delete');
  const call = jest.fn(echo);
  const { authorize } = tokenAuthorizer(call, 60);
  for (const [time, spaces, judged] of [
    [0, ' ', 1],
    [59_999, '  ', 2],
    [59_999, ' ', 2],
    [60_000, ' ', 3],
    [60_000, '  ', 3],
  ] as const) {
    now.mockReturnValue(time);
    await authorize(`Bearer${spaces}${token}`, 'arn:api/v1/GET/plants');
    expect(call).toHaveBeenCalledTimes(judged);
  }
  expect(released).toHaveBeenCalledWith(`Bearer ${token}`);
  jest.restoreAllMocks();
});
