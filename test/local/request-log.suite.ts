import { PassThrough } from 'node:stream';
import { expect, jest, test } from '@jest/globals';
import { tokenParts } from '../../functions/shared/token-form.ts';
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
    problem: undefined,
    ms: 12.4,
    log: [],
    failure: undefined,
    ...more,
  };
  return formatRequest(handled).replace(/\d\d:\d\d:\d\d\.\d{3}/, 'TIME');
}

const token = forge();
const refused = { status: 401, problem: 'unauthorized' } as const;
const unknown = { status: 404, problem: 'no-such-operation' } as const;
const noScope = { status: 403, problem: 'insufficient-scope' } as const;
const expired = '{"code":"TOKEN_REFUSED","reason":"expired"}';
const invalid =
  '{"code":"REQUEST_REFUSED","requestId":"request-1","status":400,"problem":"invalid-request"}';

test.each<[what: string, Partial<HandledRequest>, line: string]>([
  ['the status and the time', {}, 'GET    /v1/plants 200 12 ms'],
  [
    'the problem of an operation',
    { method: 'DELETE', status: 400, log: [invalid] },
    'DELETE /v1/plants 400 12 ms invalid-request',
  ],
  [
    'why the authorizer rejected a token',
    { ...refused, log: [expired] },
    'GET    /v1/plants 401 12 ms unauthorized, the token is expired',
  ],
  [
    'that a token is missing',
    refused,
    'GET    /v1/plants 401 12 ms unauthorized, no Authorization header',
  ],
  [
    'that there is no bearer token',
    { ...refused, authorization: `Basic Bearer ${token}` },
    'GET    /v1/plants 401 12 ms unauthorized, the Authorization header is not "Bearer TOKEN"',
  ],
  [
    'that a token has another prefix',
    { ...refused, authorization: 'Bearer $TOKEN' },
    'GET    /v1/plants 401 12 ms unauthorized, the token does not begin with pst_',
  ],
  [
    'that a token is too short',
    { ...refused, authorization: `BEARER ${token.slice(0, -3)}` },
    `GET    /v1/plants 401 12 ms unauthorized, the token has ${token.length - 3} characters instead of ${token.length}`,
  ],
  [
    'that a token is too long',
    { ...refused, authorization: `bearer  ${token}x` },
    `GET    /v1/plants 401 12 ms unauthorized, the token has ${token.length + 1} characters instead of ${token.length}`,
  ],
  [
    'that a token has another character',
    { ...refused, authorization: `Bearer ${token.slice(0, -1)}-` },
    'GET    /v1/plants 401 12 ms unauthorized, the token has a character that tokens do not have',
  ],
  [
    'that the stage is missing',
    { url: '/plants', status: 403 },
    'GET    /plants 403 12 ms all paths begin with /v1/',
  ],
  [
    'that only the stage is there',
    { ...unknown, url: '/v1' },
    'GET    /v1 404 12 ms no-such-operation, all paths begin with /v1/',
  ],
  [
    'an unknown path',
    { ...unknown, url: '/v1/trees' },
    'GET    /v1/trees 404 12 ms no-such-operation',
  ],
  [
    'that a scope is missing',
    { ...noScope, url: '//v1/plants' },
    'GET    //v1/plants 403 12 ms insufficient-scope',
  ],
  ['no token of a path', { url: `/v1/${token}/x` }, 'GET    /v1/pst_…/x 200 12 ms'],
  [
    'no encoded token of a query',
    { url: `/v1?t=${token.replaceAll('_', '%5f')}` },
    'GET    /v1?t=pst_… 200 12 ms',
  ],
  ['no control character', { url: '/v1/\u009b31m' }, 'GET    /v1/%C2%9B31m 200 12 ms'],
  [
    'why a function failed',
    { failure: { message: 'x', stack: 'Error: x\n    at b.ts:2' } },
    'GET    /v1/plants 200 12 ms\n    Error: x\n        at b.ts:2',
  ],
])('the lines of a request show %s', (_, handled, line) => {
  expect(formatLines(handled)).toBe(`TIME ${line}`);
});

const inner = { stack: 'Error: second\u001b[2J' };
const cause = { stack: 'Error: first\n    at a.ts:1', cause: inner };
const throttled = { name: 'E', message: 'x', stack: 'E: x', throttlingReasons: ['TableRead'] };
const accepted = { code: 'TOKEN_ACCEPTED', tokenId: '0123456789Ab', owner: 'ann' };
const likeToken = `${tokenParts.prefix.toUpperCase()}CREATED`;
const listed = { code: 'PLANTS_LISTED', requestId: 'request-1' };

test.each<{ what: string; log: object[]; shown: string[] }>([
  {
    what: 'a code that begins like a token',
    log: [{ code: likeToken }],
    shown: [likeToken],
  },
  {
    what: 'the causes of an error',
    log: [{ code: 'REQUEST_FAILED', requestId: 'request-1', cause }],
    shown: ['REQUEST_FAILED: Error: first', '    at a.ts:1', 'caused by Error: second%1B[2J'],
  },
  {
    what: 'the members of a cause that is no error',
    log: [{ code: 'REQUEST_FAILED', cause: { cause: { package: 'x' } } }],
    shown: ['REQUEST_FAILED: {}', 'caused by {"package":"x"}'],
  },
  {
    what: 'no lone surrogate',
    log: [{ code: 'REQUEST_FAILED', cause: '\ud800' }],
    shown: ['REQUEST_FAILED: %EF%BF%BD'],
  },
  {
    what: 'a cause that is null',
    log: [{ code: 'REQUEST_FAILED', cause: null }],
    shown: ['REQUEST_FAILED: null'],
  },
  {
    what: 'the members of an error that its stack does not have',
    log: [{ code: 'REQUEST_FAILED', cause: throttled }],
    shown: ['REQUEST_FAILED: E: x', '{"throttlingReasons":["TableRead"]}'],
  },
  {
    what: 'only members that a developer added to the lines that it sums up',
    log: [
      { ...accepted, scopes: 2 },
      accepted,
      { ...listed, owner: 'ann', status: 200, count: 3 },
      { ...listed, durationMs: 2 },
    ],
    shown: ['TOKEN_ACCEPTED {"scopes":2}', 'PLANTS_LISTED {"count":3}'],
  },
  {
    what: 'lines that a developer added',
    log: [{ code: 'PLANT_CREATED', status: 7, reason: 'mine' }, { code: 'PLANT_DELETED' }],
    shown: ['PLANT_CREATED {"status":7,"reason":"mine"}', 'PLANT_DELETED'],
  },
  {
    what: 'the members of a line with a cause',
    log: [{ code: 'AUTHORIZER_FAILED', attempt: 2, cause: 'x' }],
    shown: ['AUTHORIZER_FAILED {"attempt":2}: x'],
  },
])('below a request, the lines of its functions show $what', ({ log, shown }) => {
  const [head, ...lines] = formatLines({ log: log.map((line) => JSON.stringify(line)) }).split(
    '\n',
  );
  expect(head).toBe('TIME GET    /v1/plants 200 12 ms');
  expect(lines).toEqual(shown.map((line) => `    ${line}`));
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
