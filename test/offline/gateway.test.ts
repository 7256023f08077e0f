import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { gatewayResponses } from '../../functions/shared/gateway-responses.ts';
import { gateway, type HandledRequest } from '../../lib/offline/gateway.ts';
import { caught, listen } from '../../lib/offline/listen.ts';
import { type TokenAuthorizer, tokenAuthorizer } from '../../lib/offline/token-authorizer.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/http/http-client.ts';
import { serve } from '../support/http/servers.ts';

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

/** Facts about API Gateway, each with the place where it was recorded. */
const localstack = 'localstack/localstack tests/aws/services/apigateway';
const results = `${localstack}/test_apigateway_lambda.py::test_aws_proxy_response_payload_format_validation`;
const events = `${localstack}/test_apigateway_lambda.py::test_lambda_aws_proxy_integration`;
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
  for (const path of ['/v1/plants', '/v1/plants/7']) {
    const headers = ['Origin', 'https://b.io', 'Access-Control-Request-Method', 'POST'];
    const preflight = await send(base, { method: 'OPTIONS', path, headers });
    expect(preflight).toMatchObject({ status: 204, body: '' });
    expect(preflight.headers).toMatchObject({
      ...shared,
      'access-control-allow-headers': 'Authorization,Content-Type',
      'access-control-allow-methods': 'POST,GET,DELETE',
      'access-control-max-age': '3600',
    });
    expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials');
  }
  expect(await send(base, { path: '/v1/plants' })).toMatchObject({ status: 401, headers: shared });
});

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
  expect(event).toMatchObject({ body: null, queryStringParameters: null, pathParameters: null });
  expect(event.multiValueQueryStringParameters).toBeNull();
});

test.each([
  ['/v1/plants/', 200],
  ['/v1//plants', 200],
  ['/v1/plants//', 404],
  ['/v1', 404],
  ['/v1/%70lants', 404],
  ['/v1/__proto__', 404],
])('a list at %s returns %i', async (path, status) => {
  expect((await request(path)).status).toBe(status);
});

test.each([
  'null',
  '7',
  '[]',
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

test.each([
  {
    fact: 'a status alone is an empty body in JSON',
    result: { statusCode: 200 },
    response: { status: 200, body: '' },
    headers: { 'content-type': 'application/json', 'content-length': '0' },
    source: `${results} invoke-api-no-body, invoke-api-with-headers-null`,
  },
  {
    fact: 'a status can be text',
    result: { statusCode: '201' },
    response: { status: 201, body: '' },
    source: `${results} invoke-api-status-code-str`,
  },
  {
    fact: 'null stands for no headers',
    result: { statusCode: 200, headers: null },
    response: { status: 200, body: '' },
    headers: { 'content-type': 'application/json', 'content-length': '0' },
    source: `${results} invoke-api-with-headers-null`,
  },
  {
    fact: 'a header can be a boolean',
    result: { statusCode: 200, headers: { 'header-bool': true } },
    response: { status: 200, body: '' },
    headers: { 'header-bool': 'true' },
    source: `${results} invoke-api-with-headers`,
  },
  {
    fact: 'a header can have several values',
    result: { statusCode: 200, multiValueHeaders: { 'test-multi': ['value1', 'value2'] } },
    response: { status: 200, body: '' },
    headers: { 'test-multi': 'value1, value2' },
    source: `${results} invoke-api-multi-headers-valid`,
  },
  {
    fact: 'a header in both maps has the values of both',
    result: {
      statusCode: 200,
      headers: { 'test-multi': 'value-solo' },
      multiValueHeaders: { 'test-multi': ['value-multi'] },
    },
    response: { status: 200, body: '' },
    headers: { 'test-multi': 'value-multi, value-solo' },
    source: `${results} invoke-api-multi-headers-overwrite`,
  },
  {
    fact: 'a body in base64 is not decoded',
    result: { statusCode: 200, body: 'dGVzdC1kYXRh', isBase64Encoded: true },
    response: { status: 200, body: 'dGVzdC1kYXRh' },
    source: `${results} invoke-api-b64-encoded-true`,
  },
  {
    fact: 'a member that API Gateway does not know fails',
    result: { statusCode: 200, wrongValue: 'value' },
    response: { status: 503 },
    error: 'API Gateway rejects a result with the member wrongValue.',
    source: `${results} invoke-api-wrong-format`,
  },
  {
    fact: 'text in multiValueHeaders fails',
    result: { statusCode: 200, multiValueHeaders: { 'test-multi-invalid': 'value1' } },
    response: { status: 503 },
    error: 'API Gateway rejects multiValueHeaders whose test-multi-invalid is no list.',
    source: `${results} invoke-api-multi-headers-invalid`,
  },
  {
    fact: 'a status that is no number fails',
    result: { statusCode: 'test' },
    response: { status: 503 },
    error: 'API Gateway rejects this statusCode or body: {"statusCode":"test"}',
    source: `${results} invoke-api-invalid-status-code`,
  },
  {
    fact: 'text instead of a result fails',
    result: 'justAString',
    response: { status: 503 },
    error: 'The function returned no object: "justAString"',
    source: `${results} invoke-api-just-string`,
  },
  {
    fact: 'a result without a status fails here, and the log says that AWS sends an empty 200',
    result: { headers: { 'test-header': 'value' } },
    response: { status: 503 },
    error: 'The result has no statusCode. API Gateway would send an empty 200.',
    source: `${results} invoke-api-only-headers`,
  },
])('$fact ($source)', async ({ result: returned, response, headers = {}, error }) => {
  result = JSON.stringify(returned);
  const received = await request('/v1/plants');
  result = undefined;
  expect(received).toMatchObject({ ...response, headers });
  expect(handled.at(-1)?.failure?.message).toBe(error);
});

test('a 204 has no Content-Length', async () => {
  result = '{"statusCode":204}';
  const { status, headers } = await request('/v1/plants');
  result = undefined;
  expect([status, headers['content-length'], headers['transfer-encoding']]).toEqual([
    204,
    undefined,
    undefined,
  ]);
});

test.each([
  {
    fact: 'slashes before the stage are one',
    path: '//v1/plants',
    event: { path: '/plants', requestContext: { path: '/v1/plants' } },
    source: `${events} invocation-payload-with-prepended-slash-to-stage`,
  },
  {
    fact: 'slashes after the stage stay in requestContext.path',
    path: '/v1//plants',
    event: { path: '/plants', requestContext: { path: '/v1//plants' } },
    source: `${events} invocation-payload-with-prepended-slash, invocation-hardcoded`,
  },
  {
    fact: 'a path without parameters has null for them',
    path: '/v1/plants',
    event: { pathParameters: null, queryStringParameters: null, body: null },
    source: `${events} invocation-hardcoded`,
  },
  {
    fact: 'a plus and %2B stay in a path',
    path: '/v1/plants/test%2Balias+x',
    method: 'DELETE',
    event: { pathParameters: { id: 'test%2Balias+x' } },
    source: `${events} invocation-payload-with-path-encoded-email`,
  },
  {
    fact: 'a plus and %2B are decoded in a query',
    path: '/v1/plants?email=test%2Balias&plus=test+alias',
    event: { queryStringParameters: { email: 'test+alias', plus: 'test alias' } },
    source: `${events} invocation-payload-with-params-encoding`,
  },
  {
    fact: 'a query has the last value and all values',
    path: '/v1/plants?category=electronics&category=books',
    event: {
      queryStringParameters: { category: 'books' },
      multiValueQueryStringParameters: { category: ['electronics', 'books'] },
    },
    source: `${events} invocation-payload-with-params-encoding-multi`,
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
  const headersOf = ({ body }: { body: string }) => {
    const { headers, multiValueHeaders } = JSON.parse(body);
    expect(Object.keys(multiValueHeaders)).toEqual(Object.keys(headers));
    return Object.keys(headers);
  };
  const own = ['Host', 'Authorization'];
  const received = headersOf(await request('/v1/plants', { headers: [...dropped, ...passed] }));
  expect(received).toEqual([...own, 'Age', 'Date', 'Via', 'Referer']);
  expect(headersOf(await request('/v1/plants', chunked))).toEqual(own);
});

test.each(['/v2/plants', '/plants', '//evil.example/v1/plants', '/V1/plants', '/'])(
  `%s is outside the stage, and returns API Gateway’s own 403 (${outside})`,
  async (path) => {
    const { status, headers, body } = await request(path);
    expect([status, body]).toEqual([403, '{"message":"Forbidden"}']);
    expect(Object.keys(headers)).not.toContain('x-request-id');
  },
);

test(`an unknown path without Authorization is MISSING_AUTHENTICATION_TOKEN (${notFound})`, async () => {
  const type = jest.replaceProperty(
    gatewayResponses as Record<string, string>,
    'MISSING_AUTHENTICATION_TOKEN',
    'too-many-requests',
  );
  const path = '/v1/nothing';
  expect((await send(origin, { path })).status).toBe(429);
  expect((await request(path)).status).toBe(404);
  type.restore();
  expect((await send(origin, { path })).status).toBe(404);
});

test(`an unknown path with a bearer token is DEFAULT_4XX (${azul})`, async () => {
  const type = jest.replaceProperty(
    gatewayResponses as Record<string, string>,
    'DEFAULT_4XX',
    'too-many-requests',
  );
  expect((await request('/v1/nothing')).status).toBe(429);
  expect((await request('/v1/plants', { method: 'PUT' })).status).toBe(429);
  type.restore();
});

test('a preflight for an unknown path returns 404, and 403 outside the stage', async () => {
  const cors = gateway({ call, cacheSeconds: 60, corsOrigin: '*', onResponse: () => {} });
  const base = await serve(cors.listener);
  const preflight = async (path: string) => (await send(base, { method: 'OPTIONS', path })).status;
  expect(await preflight('/v1/plants')).toBe(204);
  expect(await preflight('/v1/nothing')).toBe(404);
  expect(await preflight('/plants')).toBe(403);
});

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
  const base = await serve(
    caught(({ url }, response) => {
      if (url === '/throws') {
        throw new Error('a bug of ours');
      }
      response.end();
    }),
  );
  await expect(send(base, { path: '/throws' })).rejects.toThrow();
  expect((await send(base, { path: '/' })).status).toBe(200);
  expect(printed).toHaveBeenCalledWith(new Error('a bug of ours'));
  printed.mockRestore();
});

/** Collects garbage. A weak reference keeps its object alive for a turn of the event loop. */
async function collectGarbage(): Promise<void> {
  await setImmediate();
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/** Returns a weak reference to the policy for an Authorization header. */
async function policyOf(
  { authorize }: TokenAuthorizer,
  authorization: string,
): Promise<WeakRef<object>> {
  const verdict = await authorize(authorization, 'arn:api/v1/GET/plants', []);
  return new WeakRef((verdict as { allowed: object }).allowed);
}

test.each([
  { what: 'a policy is released once it is stale', passes: 60_000, isKept: false },
  { what: 'a policy is kept until it is stale', passes: 59_999, isKept: true },
])('$what', async ({ passes, isKept }) => {
  const now = jest.spyOn(performance, 'now').mockReturnValue(0);
  const authorizer = tokenAuthorizer(call, 60);
  const policy = await policyOf(authorizer, `Bearer ${token}`);
  now.mockReturnValue(passes);
  await policyOf(authorizer, `Bearer  ${token}`);
  now.mockRestore();
  await collectGarbage();
  expect(policy.deref() !== undefined).toBe(isKept);
});

test('with a cache of 0 s, no policy is kept', async () => {
  const authorizer = tokenAuthorizer(call, 0);
  const policy = await policyOf(authorizer, `Bearer ${token}`);
  await collectGarbage();
  expect(policy.deref()).toBeUndefined();
  // The authorizer itself, and its cache, still exist.
  authorizer.forget();
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
