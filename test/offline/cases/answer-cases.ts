import { expect } from '@jest/globals';
import { words } from '../../support/words.ts';
import { answering, token } from '../fixture.ts';
import {
  answer,
  type Case,
  type Expected,
  errorType,
  event,
  type Members,
  post,
  type Source,
  to,
  uuid,
} from './case.ts';

const say = (it: string, from: Source, result: unknown, expected: Expected): Case =>
  answer(it, from, post('/v1/say', JSON.stringify(result)), expected);
const failed = {
  status: 502,
  headers: { ...errorType('InternalServerError'), 'x-default': null },
  body: { message: 'Internal server error' },
};
const malformed = (it: string, from: Source, result: unknown): Case =>
  say(it, from, result, failed);
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
const noHeaders = { headers: null, multiValueHeaders: null };
const ownLength = { headers: { 'Content-Length': '99' }, body: 'ab' };
const base64 = { isBase64Encoded: true, body: 'YWJj' };
const ok = (headers: Members) => ({ status: 200, headers });
const sent = (it: string, names: string[], received: (name: string) => Members): Case =>
  say(
    it,
    'notes',
    { headers: Object.fromEntries(names.map((name) => [name, 'x'])) },
    {
      status: 200,
      headers: Object.assign({}, ...names.map((name) => received(name.toLowerCase()))),
    },
  );
const results: Case[] = [
  say('all of it', 'output', all, { status: 201, headers: { x: '1' }, body: 'b' }),
  say('nothing is 200 and JSON', 'recorded', {}, { ...ok(empty), body: '' }),
  say('a status as text', 'output', { statusCode: '201' }, { status: 201 }),
  say('no body', 'output', { statusCode: 200, body: null }, { status: 200, body: '' }),
  say(
    '204 has no body',
    'output',
    { statusCode: 204 },
    {
      status: 204,
      headers: { 'content-length': null },
      body: '',
    },
  ),
  say('a boolean header', 'recorded', { headers: { X: true } }, ok({ x: 'true' })),
  say('no headers', 'output', noHeaders, ok({})),
  say('several values', 'output', { multiValueHeaders: { X: ['1', '2'] } }, ok({ x: '1, 2' })),
  say('both maps are merged', 'output', merged, ok({ x: '1, 2, 3', y: '4' })),
  say('a value in both maps is sent once', 'output', inBoth, ok({ x: '1, 2' })),
  say('a content type in lower case', 'output', { headers: plain }, ok(plain)),
  say("a content length is the gateway's", 'notes', ownLength, ok({ 'content-length': '2' })),
  sent('headers are renamed', remapped, (name) => ({ [`x-amzn-remapped-${name}`]: 'x' })),
  sent('headers are dropped', dropped, (name) => ({ [name]: null })),
  sent('headers pass', passed, (name) => ({ [name]: 'x' })),
  say('a body in base64 stays text', 'encodings', base64, { status: 200, body: 'YWJj' }),
  malformed('null', 'output', null),
  malformed('text', 'output', 'hello'),
  malformed('a list', 'output', []),
  malformed('a number', 'output', 200),
  malformed('an unknown member', 'recorded', { statusCode: 200, status: 200 }),
  malformed('a status that is not a number', 'output', { statusCode: 'OK' }),
  malformed('a status that HTTP does not have', 'output', { statusCode: 99 }),
  malformed('a body that is an object', 'output', { body: { a: 1 } }),
  malformed('a body that is a number', 'output', { body: 1 }),
  malformed('headers that are a list', 'output', { headers: ['X'] }),
  malformed('a header that is a number', 'recorded', { headers: { X: 1 } }),
  malformed('a header that is an object', 'output', { headers: { X: {} } }),
  malformed('multi-value headers without lists', 'recorded', { multiValueHeaders: { X: '1' } }),
  malformed('a header name that HTTP does not know', 'output', { headers: { 'X Y': '1' } }),
  malformed('a header value with a line break', 'output', { headers: { X: 'a\nb' } }),
  malformed('isBase64Encoded that is not a boolean', 'output', { isBase64Encoded: 'yes' }),
  answer('a function that fails', 'lambdaErrors', post('/v1/say', 'not JSON'), failed),
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
const guarded = (it: string, from: Source, status: number, headers: string[]): Case =>
  answer(it, from, to('GET /v1/guarded/7', ...headers), { status });
const judged = (it: string, from: Source, status: number, ...statements: object[]): Case =>
  guarded(it, from, status, answering(statements));
const matched = (it: string, status: number, value: string): Case =>
  answer(it, 'tokenConfiguration', to('GET /v1/uncached', 'Authorization', value), { status });
const failing = (it: string, from: Source, headers: string[]): Case =>
  answer(it, from, to('GET /v1/guarded', ...headers), {
    status: 500,
    headers: errorType('AuthorizerConfiguration'),
    body: { message: null },
  });
const authorized = (it: string, from: Source, headers: string[], authorizer: Members): Case =>
  event(it, from, to('GET /v1/guarded', ...headers), {
    requestContext: { authorizer: { principalId: 'p', ...authorizer } },
  });
const policy = { Statement: [allow()] };
const context = { s: 't', n: 1, b: true };
const texts = { s: 't', n: '1', b: 'true', integrationLatency: expect.any(Number) };
const authorization: Case[] = [
  guarded('no token', 'tokenConfiguration', 401, []),
  guarded('an empty token', 'tokenConfiguration', 401, ['Authorization', '']),
  guarded('the function says Unauthorized', 'authorizers', 401, token({ error: 'Unauthorized' })),
  judged('a policy that allows all', 'policies', 200, allow()),
  guarded('a policy of one statement without a list', 'policies', 200, answering(allow())),
  judged('a list of actions', 'policies', 200, allow('*', ['s3:GetObject', 'execute-api:Invoke'])),
  judged('an action with a wildcard', 'wildcards', 200, allow('*', 'execute-api:*')),
  judged('an action in another case', 'wildcards', 200, allow('*', 'Execute-API:invoke')),
  judged('the very method', 'wildcards', 200, allow(arn('/v1/GET/guarded/7'))),
  judged('a wildcard goes over slashes', 'wildcards', 200, allow(arn('/guarded/*'))),
  judged('a question mark is one character', 'wildcards', 200, allow(arn('/v1/GET/guarded/?'))),
  judged('a question mark is not two', 'wildcards', 418, allow(arn('/v1/GET/guarded/??'))),
  judged('a dot is a dot', 'wildcards', 418, allow(arn('/v1/GET/guarded..7'))),
  judged('another method', 'wildcards', 418, allow(arn('/v1/DELETE/guarded/7'))),
  judged('another action', 'wildcards', 418, allow('*', 's3:GetObject')),
  judged('a denial wins', 'policies', 418, allow(), deny('*')),
  judged('a denial of something else', 'policies', 200, allow(), deny(arn('/v1/DELETE/*'))),
  failing('the function throws another error', 'authorizerThrew', token({ error: 'unauthorized' })),
  failing('no principal', 'policies', token({ answer: { policyDocument: policy } })),
  failing('no policy', 'policies', token({ answer: { principalId: 'p' } })),
  failing('no answer', 'policies', token({})),
  failing('an unknown effect', 'policies', answering([{ ...allow(), Effect: 'Maybe' }])),
  failing('a statement with a condition', 'policies', answering([{ ...allow(), Condition: {} }])),
  failing('an object in the context', 'policies', answering([allow()], { context: { a: {} } })),
  failing('a list in the context', 'policies', answering([allow()], { context: { a: [] } })),
  authorized('the context becomes text', 'policies', answering([allow()], { context }), texts),
  authorized('any case of the header', 'tokenConfiguration', ['authorization', allowing], {}),
  matched('a token that the expression does not match', 401, 'Basic x'),
  matched('a token that the expression matches in part', 401, `${allowing} x`),
  matched('a token that the expression matches', 200, allowing),
];

const json = (contentType: string) => to('OPTIONS /v1/cors', 'Content-Type', contentType);
const forged = to('GET /v1/guarded', 'x-amzn-RequestId', '","forged":"');
const gatewayResponses: Case[] = [
  answer('headers, a media type and a template of its own', 'responses', forged, {
    status: 401,
    headers: {
      'content-type': 'application/problem+json',
      'www-authenticate': 'Bearer realm="it\'s"',
      'x-id': uuid,
    },
    body: { status: 401, id: uuid },
  }),
  answer('a status only', 'responses', to('GET /v1/guarded', ...answering([])), {
    status: 418,
    body: { Message: 'User is not authorized to access this resource' },
  }),
  answer('no declaration but of DEFAULT_4XX', 'responseTypes', json('text/plain'), {
    status: 415,
    headers: { 'x-default': '4', 'content-type': 'application/json' },
    body: { message: 'Unsupported Media Type' },
  }),
  answer('CORS preflight', 'cors', 'OPTIONS /v1/cors', {
    status: 204,
    headers: {
      'access-control-allow-origin': 'https://example.com',
      'access-control-allow-methods': 'GET',
      'access-control-max-age': '3600',
      vary: 'Origin',
    },
  }),
  answer('CORS preflight of JSON', 'cors', json('application/json; charset=utf-8'), {
    status: 204,
  }),
];

export const answerCases: Record<string, Case[]> = {
  'function results': results,
  authorization,
  'gateway responses': gatewayResponses,
};
