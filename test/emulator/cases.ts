import { expect } from '@jest/globals';
import type { Request } from '../support/http/http-client.ts';
import { words } from '../support/words.ts';
import { answering, token } from './fixture.ts';

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
const methods = `${guide}/api-gateway-method-settings-method-request.html`;
const stages = `${guide}/set-up-stages.html`;
const lambdaErrors = 'https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway-errors.html';
const lambdaLimits = 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html';
// Recorded answers of the real service, where its documentation is silent or differs.
const recorded =
  'https://github.com/localstack/localstack/blob/main/tests/aws/services/apigateway/test_apigateway_lambda.snapshot.json';
const undecodedPath = 'https://github.com/aws/aws-sam-cli/issues/771';
const trailingSlash = 'https://github.com/aws-powertools/powertools-lambda-python/issues/1552';
const authorizerThrew = 'https://github.com/auth0-samples/jwt-rsa-aws-custom-authorizer/pull/6';
const bodyTooLarge = 'https://github.com/chroma-core/chroma/issues/1458';
const bearerUnknown = 'https://github.com/DataBiosphere/azul/issues/7470';

type Members = Record<string, unknown>;
const to = (target: string, ...headers: string[]): Request => {
  const [method = '', path = ''] = target.split(' ');
  return { method, path, headers };
};
const post = (path: string, body: string | Buffer, ...headers: string[]): Request => ({
  ...to(`POST ${path}`, ...headers),
  body,
});
const requestOf = (given: string | Request) => (typeof given === 'string' ? to(given) : given);
const event = (it: string, from: string, given: string | Request, expected: Members): Case => ({
  it,
  from,
  request: requestOf(given),
  event: expected,
});
const answer = (
  it: string,
  from: string,
  given: string | Request,
  status: number,
  headers: Members = {},
  body?: unknown,
): Case => ({
  it,
  from,
  request: requestOf(given),
  answer: { status, headers, ...(body !== undefined && { body }) },
});

const routed = (it: string, from: string, path: string, resource: string, id?: string): Case =>
  event(it, from, `GET /v1${path}`, {
    httpMethod: 'GET',
    path,
    resource,
    pathParameters: id === undefined ? null : { id },
  });
const withId = (it: string, from: string, id: string): Case =>
  routed(it, from, `/echo/${id}`, '/echo/{id}', id);
const missing = (it: string, from: string, target: string): Case => answer(it, from, target, 404);
const errorType = (type: string) => ({ 'x-amzn-errortype': `${type}Exception` });
const routing: Case[] = [
  routed('a literal path', input, '/echo', '/echo'),
  withId('a path parameter', input, '7'),
  routed('a literal segment precedes a parameter', methods, '/echo/special', '/echo/special'),
  withId('a path parameter is not percent-decoded', undecodedPath, '%37'),
  withId('an encoded slash stays in its segment', undecodedPath, 'a%2Fb'),
  withId('UTF-8 in the path stays encoded', undecodedPath, '%C3%BC'),
  withId('a plus in the path is a plus', recorded, 'a+b@c'),
  routed('a slash at the end finds the same resource', trailingSlash, '/echo/', '/echo'),
  routed('a slash at the end is no part of a parameter', recorded, '/echo/7/', '/echo/{id}', '7'),
  event('slashes at the start are one', recorded, 'GET /v1//echo', {
    path: '/echo',
    resource: '/echo',
    requestContext: { path: '/v1//echo' },
  }),
  event(
    'X-HTTP-Method-Override changes the method',
    notes,
    to('POST /v1/echo', 'X-HTTP-Method-Override', 'PUT'),
    { httpMethod: 'PUT' },
  ),
  missing('a parameter is not empty', responseTypes, 'GET /v1/echo//'),
  missing('a segment more than the resource has', responseTypes, 'GET /v1/echo/7/x'),
  answer(
    'an unknown path',
    responseTypes,
    'GET /v1/nothing',
    404,
    errorType('MissingAuthenticationToken'),
  ),
  missing('the root of the stage, without a method', responseTypes, 'GET /v1'),
  missing('a method that the resource lacks', responseTypes, 'DELETE /v1/echo'),
  answer('HEAD is not GET, and has no body', responseTypes, 'HEAD /v1/echo', 404, {}, ''),
  missing('OPTIONS without a declaration', cors, 'OPTIONS /v1/echo'),
  answer(
    'an unknown path with a bearer token',
    bearerUnknown,
    to('GET /v1/nothing', 'Authorization', 'Bearer x'),
    403,
    { ...errorType('IncompleteSignature'), 'x-default': '4' },
  ),
  answer('an unknown stage', stages, 'GET /v2/echo', 403, {}, { message: 'Forbidden' }),
  missing('a path is case-sensitive', methods, 'GET /v1/Echo'),
];

const query = (it: string, from: string, text: string, multi: Record<string, string[]>): Case =>
  event(it, from, `GET /v1/echo?${text}`, {
    queryStringParameters: Object.fromEntries(
      Object.entries(multi).map(([name, values]) => [name, values.at(-1)]),
    ),
    multiValueQueryStringParameters: multi,
  });
const site = 'https://example.com/';
const noQuery = { queryStringParameters: null, multiValueQueryStringParameters: null };
const queries: Case[] = [
  event('no query', input, 'GET /v1/echo', noQuery),
  event('an empty query', input, 'GET /v1/echo?', noQuery),
  query('one parameter', input, 'a=1', { a: ['1'] }),
  query('of several the last, and all', input, 'a=1&b=2&a=3', { a: ['1', '3'], b: ['2'] }),
  query('names are case-sensitive', notes, 'a=1&A=2', { a: ['1'], A: ['2'] }),
  query('a plus is a space', recorded, 'a=b+c', { a: ['b c'] }),
  query('an encoded plus is a plus', recorded, 'a=b%2Bc', { a: ['b+c'] }),
  query('an encoded space', recorded, 'a=b%20c', { a: ['b c'] }),
  query('UTF-8', notes, 'a=%F0%9F%8C%B1', { a: ['🌱'] }),
  query('an encoded name', recorded, '%61=1', { a: ['1'] }),
  query('an encoded separator', recorded, 'a=1%262', { a: ['1&2'] }),
  query('slashes and colons', recorded, `url=${site}`, { url: [site] }),
  query('an empty value', input, 'a=', { a: [''] }),
  query('a name without a value', input, 'a', { a: [''] }),
  query('a value with an equals sign', input, 'a=b=c', { a: ['b=c'] }),
  query('a question mark in a value', input, 'a=b?c', { a: ['b?c'] }),
  query('a semicolon splits', notes, 'a=1;b=2', { a: ['1'], b: ['2'] }),
];

const echo = (...headers: string[]) => to('GET /v1/echo', ...headers);
const droppedRequestHeaders = {
  Connection: 'close',
  'Content-MD5': 'x',
  Expect: '100-continue',
  'Max-Forwards': '1',
  'Proxy-Authenticate': 'x',
  Server: 'x',
  TE: 'trailers',
  Upgrade: 'x',
  'WWW-Authenticate': 'x',
  'X-HTTP-Method-Override': 'GET',
};
const passedRequestHeaders = words(`
  Accept Accept-Charset Accept-Encoding Age Authorization Content-Encoding Content-Type Date
  Pragma Range Referer User-Agent Via Warn
`);
const requestHeaders: Case[] = [
  event('names keep their case', recorded, echo('tEsT-HEADeR', 'aValUE'), {
    headers: { 'tEsT-HEADeR': 'aValUE' },
    multiValueHeaders: { 'tEsT-HEADeR': ['aValUE'] },
  }),
  event('of several values the last, and all', input, echo('X', '1', 'X', '2'), {
    headers: { X: '2' },
    multiValueHeaders: { X: ['1', '2'] },
  }),
  event('names are case-sensitive', notes, echo('X', '1', 'x', '2'), {
    multiValueHeaders: { X: ['1'], x: ['2'] },
  }),
  event('X-Forwarded-For gains the caller', input, echo('X-Forwarded-For', '10.0.0.1'), {
    headers: { 'X-Forwarded-For': '10.0.0.1, 127.0.0.1' },
  }),
  event('X-Forwarded-Proto', input, echo(), { headers: { 'X-Forwarded-Proto': 'http' } }),
  event('Content-Length is dropped', recorded, post('/v1/echo', 'abc'), {
    headers: { 'Content-Length': null },
  }),
  ...Object.entries(droppedRequestHeaders).map(([name, value]) =>
    event(`${name} is dropped`, notes, echo(name, value), { headers: { [name]: null } }),
  ),
  ...passedRequestHeaders.map((name) =>
    event(`${name} passes`, notes, echo(name, 'x'), {
      headers: { [name]: 'x' },
      multiValueHeaders: { [name]: ['x'] },
    }),
  ),
];

const posted = (it: string, from: string, request: Request, body: string | null): Case =>
  event(it, from, request, { body, isBase64Encoded: false });
const json = '{"a": 1}';
const notUtf8 = Buffer.from([0x61, 0xff, 0x62]);
const over10Mb = 'a'.repeat(10 * 1024 * 1024 + 1);
const bodies: Case[] = [
  posted('no body', input, to('POST /v1/echo'), null),
  posted('text', input, post('/v1/echo', json, 'Content-Type', 'application/json'), json),
  posted('UTF-8', input, post('/v1/echo', '🌱'), '🌱'),
  posted('bytes that are not UTF-8', encodings, post('/v1/echo', notUtf8), 'a\ufffdb'),
  event('a body in chunks', input, post('/v1/echo', 'abc', 'Transfer-Encoding', 'chunked'), {
    body: 'abc',
    headers: { 'Transfer-Encoding': null },
  }),
  posted('a body with GET', input, { ...echo(), body: 'abc' }, 'abc'),
  answer(
    'more than Lambda takes',
    lambdaLimits,
    post('/v1/echo', 'a'.repeat(6.1 * 1024 * 1024)),
    413,
    {},
    { status: 413 },
  ),
  answer(
    'a body over 10 MB is answered in plain text',
    bodyTooLarge,
    post('/v1/echo', over10Mb),
    413,
    { 'content-type': 'text/plain' },
    'HTTP content length exceeded 10485760 bytes.',
  ),
  answer(
    'a body over 10 MB is answered before routing',
    limits,
    post('/v1/nothing', over10Mb),
    413,
  ),
];

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
const ofRest = expect.stringMatching(/^Rest/);
const context = (it: string, expected: object, request = to('GET /v1/echo/7')): Case =>
  event(it, variables, request, { requestContext: expected });
const chosenId = echo('x-amzn-RequestId', 'mine');
const contexts: Case[] = [
  context('stage and path', { stage: 'v1', path: '/v1/echo/7' }),
  context('resource', { resourcePath: '/echo/{id}', resourceId: ofRest }),
  context('method and protocol', { httpMethod: 'GET', protocol: 'HTTP/1.1' }),
  context('account and API', { accountId: '000000000000', apiId: ofRest, deploymentId: ofRest }),
  context(
    'the caller',
    { identity: { sourceIp: '127.0.0.1', userAgent: 'me' } },
    echo('User-Agent', 'me'),
  ),
  context('the identity of a request without a signature is empty', {
    identity: { accessKey: null, caller: null, user: null, userArn: null, cognitoIdentityId: null },
  }),
  context('no user agent', { identity: { userAgent: null } }),
  context('requestTime', {
    requestTime: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
  }),
  context('requestTimeEpoch', { requestTimeEpoch: expect.any(Number) }),
  context('a request id', { requestId: uuid, extendedRequestId: uuid }),
  context(
    'a client can choose the request id, but not the extended one',
    { requestId: 'mine', extendedRequestId: expect.not.stringContaining('mine') },
    chosenId,
  ),
  context(
    'the domain is the host',
    { domainName: 'api.example.com', domainPrefix: 'api' },
    echo('Host', 'api.example.com'),
  ),
  context('no authorizer', { authorizer: null }),
  answer('the request id goes to the client', variables, chosenId, 200, {
    'x-amzn-requestid': 'mine',
  }),
];

const say = (
  it: string,
  from: string,
  result: unknown,
  status: number,
  headers?: Members,
  body?: unknown,
): Case => answer(it, from, post('/v1/say', JSON.stringify(result)), status, headers, body);
const failed = { message: 'Internal server error' };
const malformed = (it: string, from: string, result: unknown): Case =>
  say(it, from, result, 502, errorType('InternalServerError'), failed);
const sent = (it: string, from: string, name: string, received: Members): Case =>
  say(`${name} ${it}`, from, { headers: { [name]: 'x' } }, 200, received);
const remapped = words(
  'Authorization Connection Content-MD5 Date Max-Forwards Server User-Agent WWW-Authenticate',
);
const dropped = words('Expect Host Proxy-Authenticate TE Trailer Upgrade Via');
const passed = words(
  'Age Accept Accept-Charset Cache-Control Content-Encoding Pragma Range Referer Warn X-Own',
);
const all = { statusCode: 201, headers: { X: '1' }, body: 'b' };
const empty = { 'content-type': 'application/json', 'content-length': '0' };
const plain = { 'content-type': 'text/plain' };
const inBoth = { headers: { X: '2' }, multiValueHeaders: { X: ['1', '2'] } };
const merged = { headers: { X: '3', Y: '4' }, multiValueHeaders: { X: ['1', '2'] } };
const ownLength = { headers: { 'Content-Length': '99' }, body: 'ab' };
const base64 = { isBase64Encoded: true, body: 'YWJj' };
const results: Case[] = [
  say('all of it', output, all, 201, { x: '1' }, 'b'),
  say('nothing is 200 and JSON', recorded, {}, 200, empty, ''),
  say('a status as text', output, { statusCode: '201' }, 201),
  say('no body', output, { statusCode: 200, body: null }, 200, {}, ''),
  say('204 has no body', output, { statusCode: 204 }, 204, { 'content-length': null }, ''),
  say('a boolean header', recorded, { headers: { X: true } }, 200, { x: 'true' }),
  say('no headers', output, { headers: null, multiValueHeaders: null }, 200),
  say('several values', output, { multiValueHeaders: { X: ['1', '2'] } }, 200, { x: '1, 2' }),
  say('both maps are merged', output, merged, 200, { x: '1, 2, 3', y: '4' }),
  say('a value in both maps is sent once', output, inBoth, 200, { x: '1, 2' }),
  say('a content type in lower case', output, { headers: plain }, 200, plain),
  say("a content length is the gateway's", notes, ownLength, 200, { 'content-length': '2' }),
  ...remapped.map((name) =>
    sent('is renamed', notes, name, { [`x-amzn-remapped-${name.toLowerCase()}`]: 'x' }),
  ),
  ...dropped.map((name) => sent('is dropped', notes, name, { [name.toLowerCase()]: null })),
  ...passed.map((name) => sent('passes', notes, name, { [name.toLowerCase()]: 'x' })),
  say('a body in base64 stays text without binary media types', encodings, base64, 200, {}, 'YWJj'),
  malformed('null', output, null),
  malformed('text', output, 'hello'),
  malformed('a list', output, []),
  malformed('a number', output, 200),
  malformed('an unknown member', recorded, { statusCode: 200, status: 200 }),
  malformed('a status that is not a number', output, { statusCode: 'OK' }),
  malformed('a status that HTTP does not have', output, { statusCode: 99 }),
  malformed('a body that is an object', output, { body: { a: 1 } }),
  malformed('a body that is a number', output, { body: 1 }),
  malformed('headers that are a list', output, { headers: ['X'] }),
  malformed('a header that is a number', recorded, { headers: { X: 1 } }),
  malformed('a header that is an object', output, { headers: { X: {} } }),
  malformed('multi-value headers without lists', recorded, { multiValueHeaders: { X: '1' } }),
  malformed('a header name that HTTP does not know', output, { headers: { 'X Y': '1' } }),
  malformed('a header value with a line break', output, { headers: { X: 'a\nb' } }),
  malformed('isBase64Encoded that is not a boolean', output, { isBase64Encoded: 'yes' }),
  answer('a function that fails', lambdaErrors, post('/v1/say', 'not JSON'), 502, {}, failed),
];

const invoke = 'execute-api:Invoke';
const allow = (Resource = '*', Action: string | string[] = invoke) => ({
  Effect: 'Allow',
  Action,
  Resource,
});
const deny = (Resource: string) => ({ Effect: 'Deny', Action: invoke, Resource });
const [, allowing = ''] = answering([allow()]);
const arn = (path: string) => `arn:aws:execute-api:us-east-1:000000000000:*${path}`;
const guarded = (it: string, from: string, status: number, headers: string[]): Case =>
  answer(it, from, to('GET /v1/guarded/7', ...headers), status);
const judged = (it: string, from: string, status: number, ...statements: object[]): Case =>
  guarded(it, from, status, answering(statements));
const matched = (it: string, status: number, value: string): Case =>
  answer(it, tokenConfiguration, to('GET /v1/uncached', 'Authorization', value), status);
const failing = (it: string, from: string, headers: string[]): Case =>
  answer(it, from, to('GET /v1/guarded', ...headers), 500, errorType('AuthorizerConfiguration'), {
    message: null,
  });
const authorized = (it: string, from: string, headers: string[], authorizer: Members): Case =>
  event(it, from, to('GET /v1/guarded', ...headers), { requestContext: { authorizer } });
const authorization: Case[] = [
  guarded('no token', tokenConfiguration, 401, []),
  guarded('an empty token', tokenConfiguration, 401, ['Authorization', '']),
  guarded('the function says Unauthorized', authorizers, 401, token({ error: 'Unauthorized' })),
  judged('a policy that allows all', policies, 200, allow()),
  guarded('a policy of one statement without a list', policies, 200, answering(allow())),
  judged('a list of actions', policies, 200, allow('*', ['s3:GetObject', 'execute-api:Invoke'])),
  judged('an action with a wildcard', wildcards, 200, allow('*', 'execute-api:*')),
  judged('an action in another case', wildcards, 200, allow('*', 'Execute-API:invoke')),
  judged('the very method', wildcards, 200, allow(arn('/v1/GET/guarded/7'))),
  judged('a wildcard goes over slashes', wildcards, 200, allow(arn('/guarded/*'))),
  judged('a question mark is one character', wildcards, 200, allow(arn('/v1/GET/guarded/?'))),
  judged('a question mark is not two', wildcards, 418, allow(arn('/v1/GET/guarded/??'))),
  judged('a dot is a dot', wildcards, 418, allow(arn('/v1/GET/guarded..7'))),
  judged('another method', wildcards, 418, allow(arn('/v1/DELETE/guarded/7'))),
  judged('another action', wildcards, 418, allow('*', 's3:GetObject')),
  judged('a denial wins', policies, 418, allow(), deny('*')),
  judged('a denial of something else', policies, 200, allow(), deny(arn('/v1/DELETE/*'))),
  answer(
    'a policy is judged for the method at hand',
    wildcards,
    to('DELETE /v1/guarded/7', ...answering([allow(arn('/v1/DELETE/guarded/7'))])),
    200,
  ),
  failing('the function throws another error', authorizerThrew, token({ error: 'unauthorized' })),
  failing(
    'no principal',
    policies,
    token({ answer: { policyDocument: { Statement: [allow()] } } }),
  ),
  failing('no policy', policies, token({ answer: { principalId: 'p' } })),
  failing('no answer', policies, token({})),
  failing('an unknown effect', policies, answering([{ ...allow(), Effect: 'Maybe' }])),
  failing('an object in the context', policies, answering([allow()], { context: { a: {} } })),
  failing('a list in the context', policies, answering([allow()], { context: { a: [] } })),
  authorized(
    'the context becomes text',
    policies,
    answering([allow()], { context: { s: 't', n: 1, b: true } }),
    { principalId: 'p', s: 't', n: '1', b: 'true', integrationLatency: expect.any(Number) },
  ),
  authorized('any case of the header will do', tokenConfiguration, ['authorization', allowing], {
    principalId: 'p',
  }),
  matched('a token that the expression does not match', 401, 'Basic x'),
  matched('a token that the expression matches in part', 401, `${allowing} x`),
  matched('a token that the expression matches', 200, allowing),
];

const refused = (it: string, expected: Members): Case =>
  answer(it, responses, 'GET /v1/guarded', 401, expected);
const preflight = {
  'access-control-allow-origin': 'https://example.com',
  'access-control-allow-methods': 'GET',
  'access-control-max-age': '3600',
  vary: 'Origin',
};
const gatewayResponses: Case[] = [
  refused('a literal header, quotes inside', { 'www-authenticate': 'Bearer realm="it\'s"' }),
  refused('a media type of its own', { 'content-type': 'application/problem+json' }),
  answer(
    'the request id in a header and in a template',
    responses,
    to('GET /v1/guarded', 'x-amzn-RequestId', '","forged":"'),
    401,
    { 'x-id': uuid },
    { status: 401, id: uuid },
  ),
  answer(
    'a status without a template has the message of API Gateway',
    responses,
    to('GET /v1/guarded', ...answering([])),
    418,
    {},
    { Message: 'User is not authorized to access this resource' },
  ),
  answer(
    'a type without a declaration has its own status',
    responseTypes,
    post('/v1/say', 'not JSON'),
    502,
    { 'x-default': null },
  ),
  answer(
    'a type without a declaration has the headers of DEFAULT_4XX',
    responseTypes,
    to('OPTIONS /v1/cors', 'Content-Type', 'text/plain'),
    415,
    { 'x-default': '4', 'content-type': 'application/json' },
    { message: 'Unsupported Media Type' },
  ),
  answer('CORS preflight', cors, 'OPTIONS /v1/cors', 204, preflight),
  answer(
    'CORS preflight that says it is JSON',
    cors,
    to('OPTIONS /v1/cors', 'Content-Type', 'application/json; charset=utf-8'),
    204,
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
