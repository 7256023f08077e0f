import { PassThrough } from 'node:stream';
import { expect, jest, test } from '@jest/globals';
import { tokenParts } from '../../functions/shared/access-token.ts';
import type { HandledRequest } from '../../lib/local/gateway/gateway.ts';
import { formatRequest } from '../../lib/local/gateway/request-log.ts';
import { forge } from '../support/access-tokens/forge.ts';

/** Returns a request's lines with TIME in place of the time. */
function formatLines(more: Partial<HandledRequest>): string {
  const handled: HandledRequest = {
    id: 'request-1',
    method: 'GET',
    url: '/v1/plants',
    authorization: undefined,
    status: 200,
    body: '[]',
    ms: 12.4,
    log: [],
    failure: undefined,
    ...more,
  };
  return formatRequest(handled).replace(/\d\d:\d\d:\d\d\.\d{3}/, 'TIME');
}

const token = forge();
const problem = (code: string) => `{"type":"urn:problem-type:plant-store:${code}"}`;
const refused = { status: 401, body: problem('unauthorized') };
const unknown = { status: 404, body: problem('no-such-operation') };
const noScope = { status: 403, body: problem('insufficient-scope') };
const expired = '{"code":"TOKEN_REFUSED","reason":"expired"}';

test.each<[what: string, Partial<HandledRequest>]>([
  ['the status and the time', {}],
  ['the code of a problem', { method: 'DELETE', status: 400, body: problem('invalid-request') }],
  ['why the authorizer rejected a token', { ...refused, log: [expired] }],
  ['that a token is missing', refused],
  ['that there is no bearer token', { ...refused, authorization: `Basic Bearer ${token}` }],
  ['that a token has another prefix', { ...refused, authorization: 'Bearer $TOKEN' }],
  ['that a token is too short', { ...refused, authorization: `BEARER ${token.slice(0, -3)}` }],
  ['that a token is too long', { ...refused, authorization: `bearer  ${token}x` }],
  [
    'that a token has another character',
    { ...refused, authorization: `Bearer ${token.slice(0, -1)}-` },
  ],
  ['that the stage is missing', { url: '/plants', status: 403, body: '{"message":"Forbidden"}' }],
  ['that only the stage is there', { ...unknown, url: '/v1' }],
  ['an unknown path', { ...unknown, url: '/v1/trees' }],
  ['that a scope is missing', { ...noScope, url: '//v1/plants' }],
  ['no code of a success', { body: problem('plant-not-found') }],
  ['no token of a path', { url: `/v1/${token}/x` }],
  ['no encoded token of a query', { url: `/v1?t=${token.replaceAll('_', '%5f')}` }],
  ['no control character', { url: '/v1/\u009b31m' }],
  ['why a function failed', { failure: { message: 'x', stack: 'Error: x\n    at b.ts:2' } }],
])('the lines of a request show %s', (_, handled) => {
  expect(formatLines(handled)).toMatchSnapshot();
});

const inner = { stack: 'Error: second\u001b[2J' };
const cause = { stack: 'Error: first\n    at a.ts:1', cause: inner };
const throttled = { name: 'E', message: 'x', stack: 'E: x', throttlingReasons: ['TableRead'] };
const accepted = { code: 'TOKEN_ACCEPTED', tokenId: '0123456789Ab', owner: 'ann' };
const listed = { code: 'PLANTS_LISTED', requestId: 'request-1' };

test.each<[what: string, ...log: object[]]>([
  ['a code that begins like a token', { code: `${tokenParts.prefix.toUpperCase()}CREATED` }],
  ['the causes of an error', { code: 'REQUEST_FAILED', requestId: 'request-1', cause }],
  [
    'the members of a cause that is no error',
    { code: 'REQUEST_FAILED', cause: { cause: { package: 'x' } } },
  ],
  ['no lone surrogate', { code: 'REQUEST_FAILED', cause: '\ud800' }],
  ['a cause that is null', { code: 'REQUEST_FAILED', cause: null }],
  [
    'the members of an error that its stack does not have',
    { code: 'REQUEST_FAILED', cause: throttled },
  ],
  [
    'only members that a developer added to the lines that it sums up',
    { ...accepted, scopes: 2 },
    accepted,
    { ...listed, owner: 'ann', status: 200, count: 3 },
    { ...listed, durationMs: 2, problem: 'x' },
  ],
  [
    'lines that a developer added',
    { code: 'PLANT_CREATED', status: 7, reason: 'mine' },
    { code: 'PLANT_DELETED' },
  ],
  ['the members of a line with a cause', { code: 'AUTHORIZER_FAILED', attempt: 2, cause: 'x' }],
])('below a request, the lines of its functions show %s', (_, ...log) => {
  expect(formatLines({ log: log.map((line) => JSON.stringify(line)) })).toMatchSnapshot();
});

test.each([
  [399, 'green', '\u001b[32m399\u001b[39m'],
  [400, 'yellow', '\u001b[33m400\u001b[39m'],
  [499, 'yellow', '\u001b[33m499\u001b[39m'],
  [500, 'red', '\u001b[31m500\u001b[39m'],
])('on a terminal, the status %i is %s, and the time and the details are dim', (...row) => {
  const [status, , painted] = row;
  const terminal = Object.assign(new PassThrough(), { isTTY: true, getColorDepth: () => 8 });
  jest.spyOn(process, 'stderr', 'get').mockReturnValue(terminal as never);
  const line = formatLines({ status, log: [expired] });
  jest.restoreAllMocks();
  const details = '\u001b[2mthe token is expired\u001b[22m';
  expect(line).toBe(`\u001b[2mTIME\u001b[22m GET    /v1/plants ${painted} 12 ms ${details}`);
});
