import { expect } from '@jest/globals';
import type { Request } from '../../support/http/http-client.ts';
import { words } from '../../support/words.ts';
import {
  answer,
  type Case,
  errorType,
  event,
  type Members,
  post,
  type Source,
  to,
  uuid,
} from './case.ts';

const routed = (it: string, from: Source, path: string, resource: string, id?: string): Case =>
  event(it, from, `GET /v1${path}`, { path, resource, pathParameters: id ? { id } : null });
const withId = (it: string, from: Source, id: string): Case =>
  routed(it, from, `/echo/${id}`, '/echo/{id}', id);
const missing = (it: string, from: Source, target: string): Case =>
  answer(it, from, target, { status: 404, headers: errorType('MissingAuthenticationToken') });
const override = to('POST /v1/echo', 'X-HTTP-Method-Override', 'PUT');
const routing: Case[] = [
  routed('a literal path', 'input', '/echo', '/echo'),
  withId('a path parameter', 'input', '7'),
  routed('a literal segment precedes a parameter', 'methods', '/echo/special', '/echo/special'),
  withId('a path parameter is not percent-decoded', 'undecodedPath', '%37'),
  withId('an encoded slash stays in its segment', 'undecodedPath', 'a%2Fb'),
  withId('UTF-8 in the path stays encoded', 'undecodedPath', '%C3%BC'),
  withId('a plus in the path is a plus', 'recorded', 'a+b@c'),
  routed('a slash at the end finds the same resource', 'trailingSlash', '/echo/', '/echo'),
  routed('a slash at the end is no part of a parameter', 'recorded', '/echo/7/', '/echo/{id}', '7'),
  event('slashes at the start are one', 'recorded', 'GET /v1//echo', {
    path: '/echo',
    resource: '/echo',
    requestContext: { path: '/v1//echo' },
  }),
  event('a header changes the method', 'notes', override, { httpMethod: 'PUT' }),
  missing('a parameter is not empty', 'responseTypes', 'GET /v1/echo//'),
  missing('a segment more than the resource has', 'responseTypes', 'GET /v1/echo/7/x'),
  missing('an unknown path', 'responseTypes', 'GET /v1/nothing'),
  missing('the root of the stage, without a method', 'responseTypes', 'GET /v1'),
  missing('a method that the resource lacks', 'responseTypes', 'DELETE /v1/echo'),
  missing('HEAD is not GET', 'responseTypes', 'HEAD /v1/echo'),
  missing('OPTIONS without a declaration', 'cors', 'OPTIONS /v1/echo'),
  missing('a path is case-sensitive', 'methods', 'GET /v1/Echo'),
  answer('HEAD has no body', 'responseTypes', 'HEAD /v1/echo', { body: '' }),
  answer(
    'an unknown path with a bearer token',
    'bearerUnknown',
    to('GET /v1/nothing', 'Authorization', 'Bearer x'),
    { status: 403, headers: { ...errorType('IncompleteSignature'), 'x-default': '4' } },
  ),
  answer('an unknown stage', 'stages', 'GET /v2/echo', {
    status: 403,
    headers: { 'x-default': null },
    body: { message: 'Forbidden' },
  }),
];

const query = (it: string, from: Source, text: string, multi: Record<string, string[]>): Case =>
  event(it, from, `GET /v1/echo?${text}`, {
    queryStringParameters: Object.fromEntries(
      Object.entries(multi).map(([name, values]) => [name, values.at(-1)]),
    ),
    multiValueQueryStringParameters: multi,
  });
const site = 'https://example.com/';
const noQuery = { queryStringParameters: null, multiValueQueryStringParameters: null };
const queries: Case[] = [
  event('no query', 'input', 'GET /v1/echo', noQuery),
  event('an empty query', 'input', 'GET /v1/echo?', noQuery),
  query('one parameter', 'input', 'a=1', { a: ['1'] }),
  query('of several the last, and all', 'input', 'a=1&b=2&a=3', { a: ['1', '3'], b: ['2'] }),
  query('names are case-sensitive', 'notes', 'a=1&A=2', { a: ['1'], A: ['2'] }),
  query('a plus is a space', 'recorded', 'a=b+c', { a: ['b c'] }),
  query('an encoded plus is a plus', 'recorded', 'a=b%2Bc', { a: ['b+c'] }),
  query('an encoded space', 'recorded', 'a=b%20c', { a: ['b c'] }),
  query('UTF-8', 'notes', 'a=%F0%9F%8C%B1', { a: ['🌱'] }),
  query('an encoded name', 'recorded', '%61=1', { a: ['1'] }),
  query('an encoded separator', 'recorded', 'a=1%262', { a: ['1&2'] }),
  query('slashes and colons', 'recorded', `url=${site}`, { url: [site] }),
  query('an empty value', 'input', 'a=', { a: [''] }),
  query('a name without a value', 'input', 'a', { a: [''] }),
  query('a value with an equals sign', 'input', 'a=b=c', { a: ['b=c'] }),
  query('a question mark in a value', 'input', 'a=b?c', { a: ['b?c'] }),
  query('a semicolon splits', 'notes', 'a=1;b=2', { a: ['1'], b: ['2'] }),
];

const echo = (...headers: string[]) => to('GET /v1/echo', ...headers);
const sending = (it: string, from: Source, sent: string[], headers: Members, more = {}): Case =>
  event(it, from, echo(...sent), { headers, multiValueHeaders: more });
const each = (names: string[], value: unknown) =>
  Object.fromEntries(names.map((name) => [name, value]));
const dropped = words(`
  Connection=close Content-MD5=x Expect=100-continue Max-Forwards=1 Proxy-Authenticate=x Server=x
  TE=trailers Upgrade=x WWW-Authenticate=x X-HTTP-Method-Override=GET
`).map((header) => header.split('='));
const droppedNames = dropped.map(([name = '']) => name);
const passed = words(`
  Accept Accept-Charset Accept-Encoding Age Authorization Content-Encoding Content-Type Date
  Pragma Range Referer User-Agent Via Warn
`);
const sentX = passed.flatMap((name) => [name, 'x']);
const twice = { 'X-Forwarded-For': '10.0.0.1, 127.0.0.1', 'X-Forwarded-Proto': 'http' };
const requestHeaders: Case[] = [
  sending('names keep their case', 'recorded', ['tEsT', 'Ab'], { tEsT: 'Ab' }, { tEsT: ['Ab'] }),
  sending('the last value, and all', 'input', ['X', '1', 'X', '2'], { X: '2' }, { X: ['1', '2'] }),
  sending('names are case-sensitive', 'notes', ['X', '1', 'x', '2'], {}, { X: ['1'], x: ['2'] }),
  sending('the caller is added', 'input', ['X-Forwarded-For', '10.0.0.1'], twice),
  sending('these are dropped', 'notes', dropped.flat(), each(droppedNames, null)),
  sending('these pass', 'notes', sentX, each(passed, 'x'), each(passed, ['x'])),
];

const posted = (it: string, from: Source, request: Request, body: string | null): Case =>
  event(it, from, request, { body, isBase64Encoded: false, headers: { 'Content-Length': null } });
const json = '{"a": 1}';
const notUtf8 = Buffer.from([0x61, 0xff, 0x62]);
const over6Mb = post('/v1/echo', 'a'.repeat(6.1 * 1024 * 1024));
const over10Mb = (path: string) => post(path, 'a'.repeat(10 * 1024 * 1024 + 1));
const bodies: Case[] = [
  posted('no body', 'input', to('POST /v1/echo'), null),
  posted('text', 'input', post('/v1/echo', json, 'Content-Type', 'application/json'), json),
  posted('UTF-8', 'input', post('/v1/echo', '🌱'), '🌱'),
  posted('bytes that are not UTF-8', 'encodings', post('/v1/echo', notUtf8), 'a\ufffdb'),
  event('a body in chunks', 'input', post('/v1/echo', 'abc', 'Transfer-Encoding', 'chunked'), {
    body: 'abc',
    headers: { 'Transfer-Encoding': null },
  }),
  posted('a body with GET', 'input', { ...echo(), body: 'abc' }, 'abc'),
  answer('more than Lambda takes', 'lambdaLimits', over6Mb, { status: 413, body: { status: 413 } }),
  answer('a body over 10 MB is answered in plain text', 'bodyTooLarge', over10Mb('/v1/echo'), {
    status: 413,
    headers: { 'content-type': 'text/plain' },
    body: 'HTTP content length exceeded 10485760 bytes.',
  }),
  answer('and before routing', 'limits', over10Mb('/v1/nothing'), { status: 413 }),
];

const anyNumber = expect.any(Number);
const ofRest = expect.stringMatching(/^Rest/);
const chosen = { 'User-Agent': 'me', Host: 'api.example.com', 'x-amzn-RequestId': 'mine' };
const choosing = echo(...Object.entries(chosen).flat());
const time = /^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/;
const nobody = each(words('accessKey caller cognitoIdentityId user userAgent userArn'), null);
const context = (it: string, requestContext: Members, request = to('GET /v1/echo/7')): Case =>
  event(it, 'variables', request, { requestContext });
const notMine = expect.not.stringContaining('mine');
const contexts: Case[] = [
  context('stage and path', { stage: 'v1', path: '/v1/echo/7' }),
  context('resource', { resourcePath: '/echo/{id}', resourceId: ofRest, authorizer: null }),
  context('method and protocol', { httpMethod: 'GET', protocol: 'HTTP/1.1' }),
  context('account and API', { accountId: '000000000000', apiId: ofRest, deploymentId: ofRest }),
  context('request id', { requestId: uuid, extendedRequestId: uuid }),
  context('time', { requestTime: expect.stringMatching(time), requestTimeEpoch: anyNumber }),
  context('a caller without a signature', { identity: { sourceIp: '127.0.0.1', ...nobody } }),
  context('a user agent', { identity: { userAgent: 'me' } }, choosing),
  context('the host', { domainName: 'api.example.com', domainPrefix: 'api' }, choosing),
  context('a chosen request id', { requestId: 'mine', extendedRequestId: notMine }, choosing),
  answer('the request id goes to the client', 'variables', choosing, {
    headers: { 'x-amzn-requestid': 'mine' },
  }),
];

export const requestCases: Record<string, Case[]> = {
  routing,
  queries,
  'request headers': requestHeaders,
  bodies,
  'request context': contexts,
};
