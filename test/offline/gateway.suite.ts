import { once } from 'node:events';
import { createServer, request as startRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { gatewayResponses } from '../../functions/shared/gateway-responses.ts';
import { gateway, type HandledRequest } from '../../lib/offline/gateway.ts';
import { listen } from '../../lib/offline/listen.ts';
import {
  isAllowed,
  type TokenAuthorizer,
  tokenAuthorizer,
} from '../../lib/offline/token-authorizer.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/http/http-client.ts';
import { serve } from '../support/http/servers.ts';

// The gateway alone. Its functions return the event, or the result that a test sets.

/** The functions called so far, and their events. */
const calls: string[] = [];
const events: object[] = [];
const handled: HandledRequest[] = [];
let result: string | undefined;
let isDenied = false;

async function call(entry: string, event: object) {
  calls.push(entry);
  events.push(event);
  const { methodArn = '' } = event as { methodArn?: string };
  const [api, stage] = methodArn.split('/');
  const allowed = ['GET/plants', 'GET/plants/', 'DELETE/plants/*'];
  const Resource = allowed.map((pattern) => `${api}/${stage}/${pattern}`);
  const policy = { Statement: [{ Effect: isDenied ? 'Deny' : 'Allow', Resource }] };
  const verdict = { principalId: 'alice', policyDocument: policy, context: { owner: 'alice' } };
  const echo = { statusCode: 200, body: JSON.stringify(event) };
  const payload = JSON.stringify(entry === 'authorize' ? verdict : echo);
  const log = [`{"code":"${entry}"}`];
  return { id: 0, payload: entry === 'authorize' ? payload : (result ?? payload), log };
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

test('with an origin for CORS, preflights and errors of the gateway name it', async () => {
  const corsOrigin = 'https://plants.example';
  const options = { call, cacheSeconds: 60, corsOrigin, onResponse: () => undefined };
  const base = await serve(gateway(options).listener);
  const shared = {
    'access-control-allow-origin': corsOrigin,
    'access-control-expose-headers': 'Link, Location, Retry-After, X-Request-Id',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'strict-transport-security': 'max-age=63072000',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^[\w-]{36}$/),
  };
  const headers = ['Origin', 'https://b.io', 'Access-Control-Request-Method', 'POST'];
  const preflight = (path: string) => send(base, { method: 'OPTIONS', path, headers });
  for (const path of ['/v1/plants', '/v1/plants/7']) {
    const { status, headers, body } = await preflight(path);
    expect([status, body]).toEqual([204, '']);
    expect(headers).toMatchObject({
      ...shared,
      'access-control-allow-headers': 'Authorization,Content-Type',
      'access-control-allow-methods': 'POST,GET,DELETE',
      'access-control-max-age': '3600',
    });
    // A 204 has no length.
    const others = ['access-control-allow-credentials', 'content-length', 'transfer-encoding'];
    expect(Object.keys(headers).filter((name) => others.includes(name))).toEqual([]);
    expect(headers.vary).toBe('Origin');
  }
  expect(await send(base, { path: '/v1/plants' })).toMatchObject({ status: 401, headers: shared });
  expect((await preflight('/v1/nothing')).status).toBe(404);
  expect((await preflight('/plants')).status).toBe(403);
  for (const path of ['/v1', '/v1/']) {
    expect((await preflight(path)).status).toBe(204);
  }
});

test('without an origin for CORS, a preflight returns 404, and for all origins its Vary is missing', async () => {
  expect((await request('/v1/plants', { method: 'OPTIONS' })).status).toBe(404);
  const options = { call, cacheSeconds: 60, corsOrigin: '*', onResponse: () => undefined };
  const base = await serve(gateway(options).listener);
  const { status, headers } = await send(base, { method: 'OPTIONS', path: '/v1/plants' });
  expect([status, headers['access-control-allow-origin'], headers.vary]).toEqual([
    204,
    '*',
    undefined,
  ]);
});

// Recorded there as invocation-payload-with-params-encoding and its variant with several values.
test(`a function gets the parts of a request in the form of API Gateway (${invocations})`, async () => {
  const path = '/v1/plants/a%2Fb%C3%A9/?x=1&y=%C3%A9+a;x=2;__proto__=3&?=http://b/c';
  const headers = ['X-Twice', 'a', 'x-other', 'b', 'X-Twice', 'c'];
  const { body } = await request(path, {
    method: 'DELETE',
    headers,
    body: Buffer.from('é\xff', 'latin1'),
  });
  const { requestContext, multiValueQueryStringParameters, ...event } = JSON.parse(body);
  const { host } = new URL(origin);
  const own = { Host: host, Authorization: `Bearer ${token}` };
  expect(event).toEqual({
    resource: '/plants/{id}',
    path: '/plants/a%2Fb%C3%A9/',
    httpMethod: 'DELETE',
    headers: { ...own, 'X-Twice': 'c', 'x-other': 'b' },
    multiValueHeaders: {
      Host: [host],
      Authorization: [own.Authorization],
      'X-Twice': ['a', 'c'],
      'x-other': ['b'],
    },
    queryStringParameters: JSON.parse('{"x":"2","y":"é a","__proto__":"3","?":"http://b/c"}'),
    pathParameters: { id: 'a%2Fb%C3%A9' },
    stageVariables: null,
    // Bytes that are not UTF-8.
    body: '\ufffd\ufffd',
    isBase64Encoded: false,
  });
  expect(multiValueQueryStringParameters).toEqual(
    JSON.parse('{"x":["1","2"],"y":["é a"],"__proto__":["3"],"?":["http://b/c"]}'),
  );
  const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
  expect(requestContext).toEqual({
    stage: 'v1',
    path: '/v1/plants/a%2Fb%C3%A9/',
    httpMethod: 'DELETE',
    resourcePath: '/plants/{id}',
    requestId: id,
    extendedRequestId: requestContext.requestId,
    authorizer: { principalId: 'alice', owner: 'alice' },
    identity: { sourceIp: '127.0.0.1', userAgent: null },
  });
});

test('the log gets each request whole, with the lines of both functions', async () => {
  forgetPolicies();
  const path = '/v1/plants?limit=1';
  const before = performance.now();
  const { headers, body } = await request(path, { headers: ['User-Agent', 'curl/8'] });
  expect(JSON.parse(body).requestContext.identity.userAgent).toBe('curl/8');
  const { ms, ...logged } = handled.at(-1) as HandledRequest;
  expect(logged).toEqual({
    id: JSON.parse(body).requestContext.requestId,
    method: 'GET',
    url: path,
    authorization: `Bearer ${token}`,
    status: 200,
    body,
    log: ['{"code":"authorize"}', '{"code":"list-plants"}'],
    failure: undefined,
  });
  expect(headers).not.toHaveProperty('x-request-id');
  expect(ms).toBeLessThan(performance.now() - before);
});

test('the authorizer gets the token and the method', async () => {
  forgetPolicies();
  events.length = 0;
  await request('/v1/plants/7', { method: 'DELETE' });
  expect(events[0]).toEqual({
    type: 'TOKEN',
    authorizationToken: `Bearer ${token}`,
    methodArn: 'arn:aws:execute-api:us-east-1:000000000000:Api/v1/DELETE/plants/7',
  });
});

const broken = { message: 'broken', stack: 'Error: broken' };
const refusal = { message: 'Unauthorized', stack: 'Error: Unauthorized' };
test.each([
  { entry: 'authorize', outcome: { failure: refusal }, status: 401, failure: undefined },
  { entry: 'authorize', outcome: { failure: broken }, status: 503, failure: broken },
  { entry: 'authorize', outcome: {}, status: 503, failure: undefined },
  { entry: 'list-plants', outcome: { failure: broken }, status: 503, failure: broken },
])('the outcome $outcome of $entry returns $status', async (row) => {
  const responses: HandledRequest[] = [];
  const { listener } = gateway({
    call: async (entry, event) => {
      const { log, payload } = await call(entry, event);
      return entry === row.entry ? { ...row.outcome, log } : { payload, log };
    },
    cacheSeconds: 0,
    onResponse: (request) => responses.push(request),
  });
  const headers = ['Authorization', `Bearer ${token}`];
  const { status } = await send(await serve(listener), { path: '/v1/plants', headers });
  expect(status).toBe(row.status);
  const log = [...new Set(['authorize', row.entry])].map((code) => `{"code":"${code}"}`);
  expect(responses).toMatchObject([{ failure: row.failure, log }]);
});

test('an authorizer without a policy aborts its request, and its error is logged', async () => {
  const log = jest.spyOn(console, 'error').mockReturnValue();
  const options = { cacheSeconds: 0, onResponse: () => undefined };
  const call = async () => ({ payload: '{}', log: [] });
  const base = await serve(gateway({ ...options, call }).listener);
  const headers = ['Authorization', `Bearer ${token}`];
  await expect(send(base, { path: '/v1/plants', headers })).rejects.toThrow('socket hang up');
  const [[error] = []] = log.mock.calls;
  log.mockRestore();
  expect(error).toBeInstanceOf(TypeError);
});

test('a function gets a query of more than 1,000 parameters whole', async () => {
  const { body } = await request(`/v1/plants?${'x=1&'.repeat(1500)}y=2`);
  expect(JSON.parse(body).queryStringParameters).toEqual({ x: '1', y: '2' });
});

test.each([
  ['HTTP://localhost/v1/plants', 200],
  ['https://evil.example:81/v1/plants', 200],
  ['/v1/plants//', 404],
  ['/v1/x/plants', 404],
  ['/v1/plants/7', 404],
  ['/v1/%70lants', 404],
  ['/v1/__proto__', 404],
  ['/v1/plants/../plants', 404],
])('a list at %s returns %i', async (path, status) => {
  expect((await request(path)).status).toBe(status);
});

test('9 KB of slashes before a path are one, and after it return 404', async () => {
  const slashes = '/'.repeat(9000);
  expect((await request(`/v1${slashes}plants`)).status).toBe(200);
  expect((await request(`/v1/plants${slashes}`)).status).toBe(404);
});

test(`a status alone is an empty body in JSON (${results} invoke-api-no-body)`, async () => {
  result = '{"statusCode":200}';
  const response = await request('/v1/plants');
  result = undefined;
  const headers = { 'content-type': 'application/json', 'content-length': '0' };
  expect(response).toMatchObject({ status: 200, headers, body: '' });
});

test.each<[result: string, message: string, source?: string]>([
  [
    '"justAString"',
    'The function returned no object: "justAString"',
    `${results} invoke-api-just-string`,
  ],
  ['null', 'The function returned no object: null'],
  // API Gateway's recorded response is an empty 200.
  [
    '{"headers":{"test-header":"value"}}',
    'The result has no statusCode. API Gateway would send an empty 200.',
    `${results} invoke-api-only-headers`,
  ],
  ['{"statusCode":200,"headers":{"a b":"c"}}', 'Header name must be a valid HTTP token ["a b"]'],
  ['{"statusCode":200,"headers":{"a":"b\\nc"}}', 'Invalid character in header content ["a"]'],
])(
  'the result %s returns 503, logs “%s”, and the next request is served',
  async (returned, message) => {
    result = returned;
    const { status, headers, body } = await request('/v1/plants');
    result = undefined;
    expect([status, headers['retry-after']]).toEqual([503, undefined]);
    expect(JSON.parse(body)).toMatchObject({ type: 'urn:problem-type:plant-store:unavailable' });
    expect(handled.at(-1)?.failure).toMatchObject({
      message,
      stack: expect.stringMatching(/^\w*Error/),
    });
    expect((await request('/v1/plants')).status).toBe(200);
  },
);

test.each([
  {
    fact: 'slashes before the stage are one',
    path: '//v1/plants',
    event: { path: '/plants', requestContext: { path: '/v1/plants' } },
    source: `${invocations} invocation-payload-with-prepended-slash-to-stage`,
  },
  {
    fact: 'slashes after the stage stay in requestContext.path',
    path: '/v1//plants',
    event: { path: '/plants', requestContext: { path: '/v1//plants' } },
    source: `${invocations} invocation-payload-with-prepended-slash, invocation-hardcoded`,
  },
  {
    fact: 'a request without parameters and a body has null for them',
    path: '/v1/plants?',
    event: {
      pathParameters: null,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      body: null,
    },
    source: `${invocations} invocation-hardcoded`,
  },
  {
    fact: 'a plus and %2B stay in a path',
    path: '/v1/plants/test%2Balias+x',
    method: 'DELETE',
    event: { pathParameters: { id: 'test%2Balias+x' } },
    source: `${invocations} invocation-payload-with-path-encoded-email`,
  },
])('$fact ($source)', async ({ path, method = 'GET', event }) => {
  const { status, body } = await request(path, { method });
  expect(status).toBe(200);
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
  const readHeaders = ({ body }: { body: string }) => {
    const { headers, multiValueHeaders } = JSON.parse(body);
    expect(Object.keys(multiValueHeaders)).toEqual(Object.keys(headers));
    return Object.keys(headers);
  };
  const own = ['Host', 'Authorization'];
  const received = readHeaders(await request('/v1/plants', { headers: [...dropped, ...passed] }));
  expect(received).toEqual([...own, 'Age', 'Date', 'Via', 'Referer']);
  expect(readHeaders(await request('/v1/plants', chunked))).toEqual(own);
});

test.each([
  ...['/v2/plants', '/plants', '//evil.example/v1/plants', '/V1/plants', '/', '*'],
  'http://localhost',
])(`%s is outside the stage, and returns API Gateway’s own 403 (${outside})`, async (path) => {
  const { status, headers, body } = await request(path);
  expect([status, body]).toEqual([403, '{"message":"Forbidden"}']);
  expect(headers['content-type']).toBe('application/json');
  expect(Object.keys(headers)).not.toContain('x-request-id');
  expect(handled.at(-1)).toMatchObject({ url: path, log: [] });
});

test.each([
  { type: 'MISSING_AUTHENTICATION_TOKEN', statuses: [429, 404, 404], source: notFound },
  { type: 'DEFAULT_4XX', statuses: [404, 429, 429], source: azul },
])(
  'an unknown operation without a token, and two with one, return $statuses if $type is 429 ($source)',
  async ({ type, statuses }) => {
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
  forgetPolicies();
  calls.length = 0;
  expect((await request('/v1/plants')).status).toBe(200);
  const { status, headers, body } = await request('/v1/plants', { method: 'POST' });
  expect(status).toBe(403);
  expect(headers['www-authenticate']).toContain('error="insufficient_scope"');
  expect(JSON.parse(body).type).toBe('urn:problem-type:plant-store:insufficient-scope');
  expect(calls).toEqual(['authorize', 'list-plants']);
  expect(handled.at(-1)?.log).toEqual([]);

  isDenied = true;
  expect((await request('/v1/plants')).status).toBe(200);
  forgetPolicies();
  expect((await request('/v1/plants')).status).toBe(403);
  isDenied = false;
  forgetPolicies();
});

test('a Deny of a policy takes precedence over an Allow', () => {
  const statement = (Effect: 'Allow' | 'Deny', Resource: string) => ({
    Effect,
    Action: '*',
    Resource,
  });
  const Statement = [statement('Allow', 'arn:api/v1/*'), statement('Deny', 'arn:api/v1/POST/*')];
  const policy = { Version: '2012-10-17', Statement };
  expect(isAllowed(policy, 'arn:api/v1/GET/plants')).toBe(true);
  expect(isAllowed(policy, 'arn:api/v1/POST/plants')).toBe(false);
  // A pattern is for the whole of a method, and a method without a statement is denied.
  const rest = { ...policy, Statement: [statement('Allow', 'api/*/x')] };
  const methods = ['api/a/b/x', 'api/a', 'my-api/a/x', 'api/a/xy'];
  expect(methods.map((method) => isAllowed(rest, method))).toEqual([true, false, false, false]);
});

test('the last Authorization counts, and returns 401 without a call of the authorizer if malformed', async () => {
  calls.length = 0;
  for (const header of ['', 'Bearer', `Basic ${token}`, `Bearer ${token}0`]) {
    const { status, headers } = await send(origin, {
      path: '/v1/plants',
      headers: ['Authorization', `Bearer ${token}`, 'Authorization', header],
    });
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="plant-store"']);
    expect(handled.at(-1)?.log).toEqual([]);
  }
  expect(calls).toEqual([]);
});

test('a request that is cut off in its body gets Node’s own 400, and is neither logged nor an error', async () => {
  const printed = jest.spyOn(console, 'error').mockReturnValue();
  const before = handled.length;
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.write('POST /v1/plants HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
  await eventually('a request', () => socket.bytesWritten > 0);
  socket.end();
  const response = await eventually('the close of the connection', text(socket));
  expect(response).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  expect((await request('/v1/plants')).status).toBe(200);
  expect(handled).toHaveLength(before + 1);
  expect(printed).not.toHaveBeenCalled();
  printed.mockRestore();
});

/** Asks for the policy for an Authorization header. */
const authorizeWith = (authorizer: TokenAuthorizer, authorization: string) =>
  authorizer.authorize(authorization, 'arn:api/v1/GET/plants');

test('a policy is cached for 60 s, also beside newer ones', async () => {
  const now = jest.spyOn(performance, 'now');
  const authorizer = tokenAuthorizer(call, 60);
  calls.length = 0;
  for (const [time, spaces, judged] of [
    [0, ' ', 1],
    [59_999, '  ', 2],
    [59_999, ' ', 2],
    [60_000, ' ', 3],
  ] as const) {
    now.mockReturnValue(time);
    await authorizeWith(authorizer, `Bearer${spaces}${token}`);
    expect(calls).toHaveLength(judged);
  }
  now.mockRestore();
});

test('a policy is released by a call after 60 s, and not kept with a cache of 0 s', async () => {
  const now = jest.spyOn(performance, 'now').mockReturnValue(0);
  const kept = jest.spyOn(Map.prototype, 'set');
  const released = jest.spyOn(Map.prototype, 'delete');
  const authorizer = tokenAuthorizer(call, 60);
  await authorizeWith(authorizer, `Bearer ${token}`);
  expect(kept).toHaveBeenCalledWith(`Bearer ${token}`, expect.anything());
  released.mockClear();
  now.mockReturnValue(60_000);
  await authorizeWith(authorizer, `Bearer  ${token}`);
  expect(released).toHaveBeenCalledWith(`Bearer ${token}`);

  kept.mockClear();
  await authorizeWith(tokenAuthorizer(call, 0), `Bearer ${token}`);
  expect(kept).not.toHaveBeenCalledWith(`Bearer ${token}`, expect.anything());
  jest.restoreAllMocks();
});
