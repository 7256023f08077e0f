import { expect } from '@jest/globals';
import type { Request } from '../http-client.ts';

/** A request to the fixture stack, what it should lead to, and the source for that. */
export interface Case {
  it: string;
  from: string;
  request: Request;
  /** Members of the function's event. Null means that the member is missing. */
  event?: Record<string, unknown>;
  /** Parts of the answer. Null means that the header is missing. */
  answer?: { status?: number; headers?: Record<string, unknown>; body?: unknown };
}

const guide = 'https://docs.aws.amazon.com/apigateway/latest/developerguide';
const proxy = `${guide}/set-up-lambda-proxy-integrations.html`;
const input = `${proxy}#api-gateway-simple-proxy-for-lambda-input-format`;
const output = `${proxy}#api-gateway-simple-proxy-for-lambda-output-format`;
const notes = `${guide}/api-gateway-known-issues.html`;
const encodings = `${guide}/api-gateway-payload-encodings-workflow.html`;
const variables = `${guide}/api-gateway-mapping-template-reference.html#context-variable-reference`;
const responseTypes = `${guide}/supported-gateway-response-types.html`;
const responses = `${guide}/api-gateway-gatewayResponse-definition.html`;
const authorizers = `${guide}/apigateway-use-lambda-authorizer.html`;
const tokenConfiguration = `${guide}/configure-api-gateway-lambda-authorization.html`;
const policies = `${guide}/api-gateway-lambda-authorizer-output.html`;
const wildcards = `${guide}/api-gateway-control-access-using-iam-policies-to-invoke-api.html`;
const cors = `${guide}/how-to-cors.html`;
const limits = `${guide}/api-gateway-execution-service-limits-table.html`;
const lambdaErrors = 'https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway-errors.html';
// Recorded answers of the real service, where its documentation is silent or differs.
const recorded =
  'https://github.com/localstack/localstack/blob/main/tests/aws/services/apigateway/test_apigateway_lambda.snapshot.json';
const undecodedPath = 'https://github.com/aws/aws-sam-cli/issues/771';
const trailingSlash = 'https://github.com/aws-powertools/powertools-lambda-python/issues/1552';
const authorizerThrew = 'https://github.com/auth0-samples/jwt-rsa-aws-custom-authorizer/pull/6';
const bodyTooLarge = 'https://github.com/chroma-core/chroma/issues/1458';
const bearerUnknown = 'https://github.com/DataBiosphere/azul/issues/7470';

type Given = string | (Omit<Request, 'path' | 'method'> & { to: string });
function toRequest(given: Given): Request {
  const { to, ...more } = typeof given === 'string' ? { to: given } : given;
  const [method = '', path = ''] = to.split(' ');
  return { method, path, ...more };
}
const event = (
  it: string,
  from: string,
  given: Given,
  expected: Record<string, unknown>,
): Case => ({
  it,
  from,
  request: toRequest(given),
  event: expected,
});
const answer = (it: string, from: string, given: Given, expected: Case['answer']): Case => ({
  it,
  from,
  request: toRequest(given),
  answer: expected ?? {},
});

const routing: Case[] = [
  event('a literal path', input, 'GET /v1/echo', {
    httpMethod: 'GET',
    path: '/echo',
    resource: '/echo',
    pathParameters: null,
  }),
  event('a path parameter', input, 'GET /v1/echo/7', {
    path: '/echo/7',
    resource: '/echo/{id}',
    pathParameters: { id: '7' },
  }),
  event(
    'a literal segment goes before a parameter',
    `${guide}/api-gateway-method-settings-method-request.html`,
    'GET /v1/echo/special',
    {
      resource: '/echo/special',
      pathParameters: null,
    },
  ),
  event('a path parameter is not percent-decoded', undecodedPath, 'GET /v1/echo/%37', {
    path: '/echo/%37',
    pathParameters: { id: '%37' },
  }),
  event('an encoded slash stays in its segment', undecodedPath, 'GET /v1/echo/a%2Fb', {
    pathParameters: { id: 'a%2Fb' },
  }),
  event('UTF-8 in the path stays encoded', undecodedPath, 'GET /v1/echo/%C3%BC', {
    pathParameters: { id: '%C3%BC' },
  }),
  event('a plus in the path is a plus', recorded, 'GET /v1/echo/a+b@c', {
    path: '/echo/a+b@c',
    pathParameters: { id: 'a+b@c' },
  }),
  event('a slash at the end finds the same resource', trailingSlash, 'GET /v1/echo/', {
    path: '/echo/',
    resource: '/echo',
  }),
  event('a slash at the end is no part of a parameter', recorded, 'GET /v1/echo/7/', {
    path: '/echo/7/',
    pathParameters: { id: '7' },
  }),
  event('slashes at the start are one', recorded, 'GET /v1//echo', {
    path: '/echo',
    resource: '/echo',
    requestContext: { path: '/v1//echo' },
  }),
  event(
    'X-HTTP-Method-Override changes the method',
    notes,
    { to: 'POST /v1/echo', headers: ['X-HTTP-Method-Override', 'PUT'] },
    { httpMethod: 'PUT' },
  ),
  answer('a parameter is not empty', responseTypes, 'GET /v1/echo//', { status: 404 }),
  answer('a segment more than the resource has', responseTypes, 'GET /v1/echo/7/x', {
    status: 404,
  }),
  answer('an unknown path', responseTypes, 'GET /v1/nothing', {
    status: 404,
    headers: { 'x-amzn-errortype': 'MissingAuthenticationTokenException' },
  }),
  answer('the root of the stage, without a method', responseTypes, 'GET /v1', { status: 404 }),
  answer('a method that the resource lacks', responseTypes, 'DELETE /v1/echo', { status: 404 }),
  answer('HEAD is not GET, and has no body', responseTypes, 'HEAD /v1/echo', {
    status: 404,
    body: '',
  }),
  answer('OPTIONS without a declaration', cors, 'OPTIONS /v1/echo', { status: 404 }),
  answer(
    'an unknown path with a bearer token',
    bearerUnknown,
    { to: 'GET /v1/nothing', headers: ['Authorization', 'Bearer x'] },
    {
      status: 403,
      headers: { 'x-amzn-errortype': 'IncompleteSignatureException', 'x-default': '4' },
    },
  ),
  answer('an unknown stage', `${guide}/set-up-stages.html`, 'GET /v2/echo', {
    status: 403,
    body: { message: 'Forbidden' },
  }),
  answer(
    'a path is case-sensitive',
    `${guide}/api-gateway-method-settings-method-request.html`,
    'GET /v1/Echo',
    { status: 404 },
  ),
];

const query = (
  it: string,
  text: string,
  single: object | null,
  multi: object | null,
  from = recorded,
): Case =>
  event(it, from, `GET /v1/echo${text}`, {
    queryStringParameters: single,
    multiValueQueryStringParameters: multi,
  });
const queries: Case[] = [
  query('no query', '', null, null, input),
  query('an empty query', '?', null, null, input),
  query('one parameter', '?a=1', { a: '1' }, { a: ['1'] }, input),
  query(
    'of several the last, and all',
    '?a=1&b=2&a=3',
    { a: '3', b: '2' },
    { a: ['1', '3'], b: ['2'] },
    input,
  ),
  query('names are case-sensitive', '?a=1&A=2', { a: '1', A: '2' }, { a: ['1'], A: ['2'] }, notes),
  query('a plus is a space', '?a=b+c', { a: 'b c' }, { a: ['b c'] }),
  query('an encoded plus is a plus', '?a=b%2Bc', { a: 'b+c' }, { a: ['b+c'] }),
  query('an encoded space', '?a=b%20c', { a: 'b c' }, { a: ['b c'] }),
  query('UTF-8', '?a=%F0%9F%8C%B1', { a: '🌱' }, { a: ['🌱'] }, notes),
  query('an encoded name', '?%61=1', { a: '1' }, { a: ['1'] }),
  query('an encoded separator', '?a=1%262', { a: '1&2' }, { a: ['1&2'] }),
  query(
    'slashes and colons',
    '?url=https://example.com/',
    { url: 'https://example.com/' },
    { url: ['https://example.com/'] },
  ),
  query('an empty value', '?a=', { a: '' }, { a: [''] }, input),
  query('a name without a value', '?a', { a: '' }, { a: [''] }, input),
  query('a value with an equals sign', '?a=b=c', { a: 'b=c' }, { a: ['b=c'] }, input),
  query('a question mark in a value', '?a=b?c', { a: 'b?c' }, { a: ['b?c'] }, input),
  query('a semicolon splits', '?a=1;b=2', { a: '1', b: '2' }, { a: ['1'], b: ['2'] }, notes),
];

const withHeaders = (...headers: string[]) => ({ to: 'GET /v1/echo', headers });
const droppedRequestHeaders: [string, string][] = [
  ['Connection', 'close'],
  ['Content-MD5', 'x'],
  ['Expect', '100-continue'],
  ['Max-Forwards', '1'],
  ['Proxy-Authenticate', 'x'],
  ['Server', 'x'],
  ['TE', 'trailers'],
  ['Upgrade', 'x'],
  ['WWW-Authenticate', 'x'],
  ['X-HTTP-Method-Override', 'GET'],
];
const passedRequestHeaders = [
  'Accept',
  'Accept-Charset',
  'Accept-Encoding',
  'Age',
  'Authorization',
  'Content-Encoding',
  'Content-Type',
  'Date',
].concat(['Pragma', 'Range', 'Referer', 'User-Agent', 'Via', 'Warn']);
const requestHeaders: Case[] = [
  event('names keep their case', recorded, withHeaders('tEsT-HEADeR', 'aValUE'), {
    headers: { 'tEsT-HEADeR': 'aValUE' },
    multiValueHeaders: { 'tEsT-HEADeR': ['aValUE'] },
  }),
  event('of several values the last, and all', input, withHeaders('X', '1', 'X', '2'), {
    headers: { X: '2' },
    multiValueHeaders: { X: ['1', '2'] },
  }),
  event('names are case-sensitive', notes, withHeaders('X', '1', 'x', '2'), {
    multiValueHeaders: { X: ['1'], x: ['2'] },
  }),
  event('X-Forwarded-For gains the caller', input, withHeaders('X-Forwarded-For', '10.0.0.1'), {
    headers: { 'X-Forwarded-For': '10.0.0.1, 127.0.0.1' },
  }),
  event('X-Forwarded-Proto', input, withHeaders(), { headers: { 'X-Forwarded-Proto': 'http' } }),
  event(
    'Content-Length is dropped',
    recorded,
    { to: 'POST /v1/echo', body: 'abc' },
    { headers: { 'Content-Length': null } },
  ),
  ...droppedRequestHeaders.map(([name, value]) =>
    event(`${name} is dropped`, notes, withHeaders(name, value), { headers: { [name]: null } }),
  ),
  ...passedRequestHeaders.map((name) =>
    event(`${name} passes`, notes, withHeaders(name, 'x'), {
      headers: { [name]: 'x' },
      multiValueHeaders: { [name]: ['x'] },
    }),
  ),
];

const post = (body: string | Buffer, ...headers: string[]) => ({
  to: 'POST /v1/echo',
  body,
  headers,
});
const bodies: Case[] = [
  event('no body', input, 'POST /v1/echo', { body: null, isBase64Encoded: false }),
  event('text', input, post('{"a": 1}', 'Content-Type', 'application/json'), {
    body: '{"a": 1}',
    isBase64Encoded: false,
  }),
  event('UTF-8', input, post('🌱'), { body: '🌱' }),
  event('bytes that are not UTF-8', encodings, post(Buffer.from([0x61, 0xff, 0x62])), {
    body: 'a\ufffdb',
    isBase64Encoded: false,
  }),
  event('a body in chunks', input, post('abc', 'Transfer-Encoding', 'chunked'), {
    body: 'abc',
    headers: { 'Transfer-Encoding': null },
  }),
  event('a body with GET', input, { to: 'GET /v1/echo', body: 'abc' }, { body: 'abc' }),
  answer(
    'more than Lambda takes',
    'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html',
    post('a'.repeat(6.1 * 1024 * 1024)),
    { status: 413, body: { status: 413 } },
  ),
  answer(
    'a body over 10 MB is answered in plain text',
    bodyTooLarge,
    post('a'.repeat(10 * 1024 * 1024 + 1)),
    {
      status: 413,
      headers: { 'content-type': 'text/plain' },
      body: 'HTTP content length exceeded 10485760 bytes.',
    },
  ),
  answer(
    'a body over 10 MB is answered before routing',
    limits,
    { ...post('a'.repeat(10 * 1024 * 1024 + 1)), to: 'POST /v1/nothing' },
    { status: 413 },
  ),
];

const context = (it: string, expected: object, given: Given = 'GET /v1/echo/7'): Case =>
  event(it, variables, given, { requestContext: expected });
const contexts: Case[] = [
  context('stage and path', { stage: 'v1', path: '/v1/echo/7' }),
  context('resource', { resourcePath: '/echo/{id}', resourceId: expect.stringMatching(/^Rest/) }),
  context('method and protocol', { httpMethod: 'GET', protocol: 'HTTP/1.1' }),
  context('account and API', {
    accountId: '000000000000',
    apiId: expect.stringMatching(/^Rest/),
    deploymentId: expect.stringMatching(/^Rest/),
  }),
  context(
    'the caller',
    { identity: { sourceIp: '127.0.0.1', userAgent: 'me' } },
    { to: 'GET /v1/echo', headers: ['User-Agent', 'me'] },
  ),
  context('the identity of a request without a signature is empty', {
    identity: { accessKey: null, caller: null, user: null, userArn: null, cognitoIdentityId: null },
  }),
  context('no user agent', { identity: { userAgent: null } }),
  context('requestTime', {
    requestTime: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
  }),
  context('requestTimeEpoch', { requestTimeEpoch: expect.any(Number) }),
  context('a request id', {
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    extendedRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  }),
  context(
    'a client can choose the request id, but not the extended one',
    { requestId: 'mine', extendedRequestId: expect.not.stringContaining('mine') },
    { to: 'GET /v1/echo', headers: ['x-amzn-RequestId', 'mine'] },
  ),
  context(
    'the domain is the host',
    { domainName: 'api.example.com', domainPrefix: 'api' },
    { to: 'GET /v1/echo', headers: ['Host', 'api.example.com'] },
  ),
  context('no authorizer', { authorizer: null }),
  answer(
    'the request id goes to the client',
    variables,
    { to: 'GET /v1/echo', headers: ['x-amzn-RequestId', 'mine'] },
    { headers: { 'x-amzn-requestid': 'mine' } },
  ),
];

const say = (
  it: string,
  result: unknown,
  expected: Case['answer'],
  from = output,
  ...headers: string[]
): Case =>
  answer(it, from, { to: 'POST /v1/say', body: JSON.stringify(result), headers }, expected);
const header = (name: string, value = 'x') => ({ headers: { [name]: value } });
const malformed = (it: string, result: unknown, from = output) =>
  say(
    it,
    result,
    {
      status: 502,
      headers: { 'x-amzn-errortype': 'InternalServerErrorException' },
      body: { message: 'Internal server error' },
    },
    from,
  );
const remapped = [
  'Authorization',
  'Connection',
  'Content-MD5',
  'Date',
  'Max-Forwards',
  'Server',
  'User-Agent',
  'WWW-Authenticate',
];
const dropped = ['Expect', 'Host', 'Proxy-Authenticate', 'TE', 'Trailer', 'Upgrade', 'Via'];
const passed = [
  'Age',
  'Accept',
  'Accept-Charset',
  'Cache-Control',
  'Content-Encoding',
  'Pragma',
  'Range',
  'Referer',
  'Warn',
  'X-Own',
];
const results: Case[] = [
  say(
    'all of it',
    { statusCode: 201, headers: { X: '1' }, body: 'b' },
    { status: 201, headers: { x: '1' }, body: 'b' },
  ),
  say(
    'nothing is 200 and JSON',
    {},
    {
      status: 200,
      headers: { 'content-type': 'application/json', 'content-length': '0' },
      body: '',
    },
    recorded,
  ),
  say('a status as text', { statusCode: '201' }, { status: 201 }),
  say('no body', { statusCode: 200, body: null }, { status: 200, body: '' }),
  say(
    '204 has no body',
    { statusCode: 204 },
    { status: 204, headers: { 'content-length': null }, body: '' },
  ),
  say('a boolean header', { headers: { X: true } }, { headers: { x: 'true' } }, recorded),
  say('no headers', { headers: null, multiValueHeaders: null }, { status: 200 }),
  say('several values', { multiValueHeaders: { X: ['1', '2'] } }, { headers: { x: '1, 2' } }),
  say(
    'both maps are merged',
    { headers: { X: '3', Y: '4' }, multiValueHeaders: { X: ['1', '2'] } },
    { headers: { x: '1, 2, 3', y: '4' } },
  ),
  say(
    'a value in both maps is sent once',
    { headers: { X: '2' }, multiValueHeaders: { X: ['1', '2'] } },
    { headers: { x: '1, 2' } },
  ),
  say(
    'a content type in lower case',
    { headers: { 'content-type': 'text/plain' } },
    { headers: { 'content-type': 'text/plain' } },
  ),
  say(
    "a content length is the gateway's",
    { headers: { 'Content-Length': '99' }, body: 'ab' },
    { headers: { 'content-length': '2' } },
    notes,
  ),
  ...remapped.map((name) =>
    say(
      `${name} is renamed`,
      header(name),
      { headers: { [`x-amzn-remapped-${name.toLowerCase()}`]: 'x' } },
      notes,
    ),
  ),
  ...dropped.map((name) =>
    say(`${name} is dropped`, header(name), { headers: { [name.toLowerCase()]: null } }, notes),
  ),
  ...passed.map((name) =>
    say(`${name} passes`, header(name), { headers: { [name.toLowerCase()]: 'x' } }, notes),
  ),
  say(
    'a body in base64 stays text without binary media types',
    { isBase64Encoded: true, body: 'YWJj' },
    { body: 'YWJj' },
    encodings,
  ),
  malformed('null', null),
  malformed('text', 'hello'),
  malformed('a list', []),
  malformed('a number', 200),
  malformed('an unknown member', { statusCode: 200, status: 200 }, recorded),
  malformed('a status that is not a number', { statusCode: 'OK' }),
  malformed('a status that HTTP does not have', { statusCode: 99 }),
  malformed('a body that is an object', { body: { a: 1 } }),
  malformed('a body that is a number', { body: 1 }),
  malformed('headers that are a list', { headers: ['X'] }),
  malformed('a header that is a number', { headers: { X: 1 } }, recorded),
  malformed('a header that is an object', { headers: { X: {} } }),
  malformed('multi-value headers without lists', { multiValueHeaders: { X: '1' } }, recorded),
  malformed('a header name that HTTP does not know', { headers: { 'X Y': '1' } }),
  malformed('a header value with a line break', { headers: { X: 'a\nb' } }),
  malformed('isBase64Encoded that is not a boolean', { isBase64Encoded: 'yes' }),
  answer(
    'a function that fails',
    lambdaErrors,
    { to: 'POST /v1/say', body: 'not JSON' },
    { status: 502, body: { message: 'Internal server error' } },
  ),
];

const allow = (
  resource = '*',
  effect = 'Allow',
  action: string | string[] = 'execute-api:Invoke',
) => ({
  Effect: effect,
  Action: action,
  Resource: resource,
});
const token = (says: object) => [
  'Authorization',
  `Bearer ${Buffer.from(JSON.stringify(says)).toString('base64url')}`,
];
const answering = (Statement: unknown, more: object = {}) =>
  token({
    answer: { principalId: 'p', policyDocument: { Version: '2012-10-17', Statement }, ...more },
  });
const arn = (path: string) => `arn:aws:execute-api:us-east-1:000000000000:${path}`;
const guarded = (
  it: string,
  headers: string[],
  status: number,
  from = policies,
  to = 'GET /v1/guarded/7',
): Case => answer(it, from, { to, headers }, { status });
const failing = (it: string, headers: string[], errorType: string, from = policies): Case =>
  answer(
    it,
    from,
    { to: 'GET /v1/guarded', headers },
    { status: 500, headers: { 'x-amzn-errortype': errorType }, body: { message: null } },
  );
const authorization: Case[] = [
  guarded('no token', [], 401, tokenConfiguration),
  guarded('an empty token', ['Authorization', ''], 401, tokenConfiguration),
  guarded('the function says Unauthorized', token({ error: 'Unauthorized' }), 401, authorizers),
  guarded('a policy that allows all', answering([allow()]), 200),
  guarded('a policy of one statement without a list', answering(allow()), 200),
  guarded(
    'a list of actions',
    answering([allow('*', 'Allow', ['s3:GetObject', 'execute-api:Invoke'])]),
    200,
  ),
  guarded(
    'an action with a wildcard',
    answering([allow('*', 'Allow', 'execute-api:*')]),
    200,
    wildcards,
  ),
  guarded(
    'an action in another case',
    answering([allow('*', 'Allow', 'Execute-API:invoke')]),
    200,
    wildcards,
  ),
  guarded('the very method', answering([allow(arn('*/v1/GET/guarded/7'))]), 200, wildcards),
  guarded('a wildcard goes over slashes', answering([allow(arn('*/guarded/*'))]), 200, wildcards),
  guarded(
    'a question mark is one character',
    answering([allow(arn('*/v1/GET/guarded/?'))]),
    200,
    wildcards,
  ),
  guarded(
    'a question mark is not two',
    answering([allow(arn('*/v1/GET/guarded/??'))]),
    418,
    wildcards,
  ),
  guarded('a dot is a dot', answering([allow(arn('*/v1/GET/guarded..7'))]), 418, wildcards),
  guarded('another method', answering([allow(arn('*/v1/DELETE/guarded/7'))]), 418, wildcards),
  guarded('another action', answering([allow('*', 'Allow', 's3:GetObject')]), 418, wildcards),
  guarded('a denial wins', answering([allow(), allow('*', 'Deny')]), 418, policies),
  guarded(
    'a denial of something else',
    answering([allow(), allow(arn('*/v1/DELETE/*'), 'Deny')]),
    200,
    policies,
  ),
  guarded(
    'a policy is judged for the method at hand',
    answering([allow(arn('*/v1/DELETE/guarded/7'))]),
    200,
    wildcards,
    'DELETE /v1/guarded/7',
  ),
  failing(
    'the function throws another error',
    token({ error: 'unauthorized' }),
    'AuthorizerConfigurationException',
    authorizerThrew,
  ),
  failing(
    'no principal',
    token({ answer: { policyDocument: { Statement: [allow()] } } }),
    'AuthorizerConfigurationException',
  ),
  failing('no policy', token({ answer: { principalId: 'p' } }), 'AuthorizerConfigurationException'),
  failing('no answer', token({}), 'AuthorizerConfigurationException'),
  failing(
    'an unknown effect',
    answering([allow('*', 'Maybe')]),
    'AuthorizerConfigurationException',
  ),
  failing(
    'an object in the context',
    answering([allow()], { context: { a: {} } }),
    'AuthorizerConfigurationException',
  ),
  failing(
    'a list in the context',
    answering([allow()], { context: { a: [] } }),
    'AuthorizerConfigurationException',
  ),
  event(
    'the context becomes text',
    policies,
    {
      to: 'GET /v1/guarded',
      headers: answering([allow()], { context: { s: 't', n: 1, b: true } }),
    },
    {
      requestContext: {
        authorizer: {
          principalId: 'p',
          s: 't',
          n: '1',
          b: 'true',
          integrationLatency: expect.any(Number),
        },
      },
    },
  ),
  event(
    'any case of the header will do',
    tokenConfiguration,
    { to: 'GET /v1/guarded', headers: ['authorization', ...answering([allow()]).slice(1)] },
    {
      requestContext: { authorizer: { principalId: 'p' } },
    },
  ),
  guarded(
    'a token that the expression does not match',
    ['Authorization', 'Basic x'],
    401,
    tokenConfiguration,
    'GET /v1/uncached',
  ),
  guarded(
    'a token that the expression matches in part',
    [...answering([allow()]).slice(0, 1), `${answering([allow()])[1]} x`],
    401,
    tokenConfiguration,
    'GET /v1/uncached',
  ),
  guarded(
    'a token that the expression matches',
    answering([allow()]),
    200,
    tokenConfiguration,
    'GET /v1/uncached',
  ),
];

const refused = (
  it: string,
  path: string,
  headers: string[],
  expected: Record<string, string | null>,
): Case => answer(it, responses, { to: `GET ${path}`, headers }, { headers: expected });
const gatewayResponses: Case[] = [
  refused('a literal header, quotes inside', '/v1/guarded', [], {
    'www-authenticate': 'Bearer realm="it\'s"',
  }),
  refused('a media type of its own', '/v1/guarded', [], {
    'content-type': 'application/problem+json',
  }),
  answer(
    'the request id in a header and in a template',
    responses,
    { to: 'GET /v1/guarded', headers: ['x-amzn-RequestId', '","forged":"'] },
    {
      headers: { 'x-id': expect.stringMatching(/^[0-9a-f-]{36}$/) },
      body: { status: 401, id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    },
  ),
  answer(
    'a status without a template has the message of API Gateway',
    responses,
    { to: 'GET /v1/guarded', headers: answering([]) },
    { status: 418, body: { Message: 'User is not authorized to access this resource' } },
  ),
  answer(
    'a type without a declaration has its own status',
    responseTypes,
    { to: 'POST /v1/say', body: 'not JSON' },
    { status: 502, headers: { 'x-default': null } },
  ),
  answer(
    'a type without a declaration has the headers of DEFAULT_4XX',
    responseTypes,
    { to: 'OPTIONS /v1/cors', headers: ['Content-Type', 'text/plain'] },
    {
      status: 415,
      headers: { 'x-default': '4', 'content-type': 'application/json' },
      body: { message: 'Unsupported Media Type' },
    },
  ),
  answer('CORS preflight', cors, 'OPTIONS /v1/cors', {
    status: 204,
    headers: {
      'access-control-allow-origin': 'https://example.com',
      'access-control-allow-methods': 'GET',
      'access-control-max-age': '3600',
      vary: 'Origin',
    },
  }),
  answer(
    'CORS preflight that says it is JSON',
    cors,
    { to: 'OPTIONS /v1/cors', headers: ['Content-Type', 'application/json; charset=utf-8'] },
    { status: 204 },
  ),
];

export const cases: Record<string, Case[]> = {
  routing,
  queries,
  'request headers': requestHeaders,
  bodies,
  'request context': contexts,
  'function results': results,
  authorization,
  'gateway responses': gatewayResponses,
};
