import { expect } from '@jest/globals';
import type { Request } from '../../support/http/http-client.ts';
import { words } from '../../support/words.ts';
import { answer, type Case, errorType, event, post, to, uuid } from './case.ts';
import {
  bearerUnknown,
  bodyTooLarge,
  cors,
  encodings,
  input,
  lambdaLimits,
  limits,
  methods,
  notes,
  recorded,
  responseTypes,
  stages,
  trailingSlash,
  undecodedPath,
  variables,
} from './sources.ts';

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
  answer(
    'an unknown stage',
    stages,
    'GET /v2/echo',
    403,
    { 'x-default': null },
    { message: 'Forbidden' },
  ),
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

export const requestCases: Record<string, Case[]> = {
  routing,
  queries,
  'request headers': requestHeaders,
  bodies,
  'request context': contexts,
};
