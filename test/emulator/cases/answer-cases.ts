import { expect } from '@jest/globals';
import { words } from '../../support/words.ts';
import { answering, token } from '../fixture.ts';
import { answer, type Case, errorType, event, type Members, post, to, uuid } from './case.ts';
import {
  authorizers,
  authorizerThrew,
  cors,
  encodings,
  lambdaErrors,
  notes,
  output,
  policies,
  recorded,
  responses,
  responseTypes,
  tokenConfiguration,
  wildcards,
} from './sources.ts';

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
  failing('a statement with a condition', policies, answering([{ ...allow(), Condition: {} }])),
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

export const answerCases: Record<string, Case[]> = {
  'function results': results,
  authorization,
  'gateway responses': gatewayResponses,
};
