import { PassThrough } from 'node:stream';
import { expect, jest, test } from '@jest/globals';
import { tokenParts } from '../../functions/shared/access-token.ts';
import type { HandledRequest } from '../../lib/offline/gateway.ts';
import { formatRequest } from '../../lib/offline/request-log.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { splitToken } from '../support/access-tokens/parts.ts';
import { badShapes } from '../support/access-tokens/shapes.ts';

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
const cause = { stack: 'Error: first\n    at a.ts:1', cause: { stack: 'Error: second\u001b[2J' } };

test.each<[what: string, Partial<HandledRequest>]>([
  ['the status and the time', {}],
  ['the code of a problem', { method: 'DELETE', status: 400, body: problem('invalid-request') }],
  [
    'why the authorizer rejected a token',
    { ...refused, log: ['{"code":"TOKEN_REFUSED","reason":"expired"}'] },
  ],
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
  ['that only the stage is there', { url: '/v1', status: 404, body: problem('no-such-operation') }],
  ['an unknown path', { url: '/v1/trees', status: 404, body: problem('no-such-operation') }],
  [
    'that a scope is missing',
    { url: '//v1/plants', status: 403, body: problem('insufficient-scope') },
  ],
  ['no code of a success', { body: problem('plant-not-found') }],
  ['no token of a path', { url: `/v1/${token}/x` }],
  ['no encoded token of a query', { url: `/v1?t=${token.replaceAll('_', '%5f')}` }],
  [
    'a code that begins like a token',
    { log: [`{"code":"${tokenParts.prefix.toUpperCase()}CREATED"}`] },
  ],
  ['no control character', { url: '/v1/\u009b31m' }],
  [
    'the causes of an error that a function logged',
    {
      status: 503,
      log: [JSON.stringify({ code: 'DATABASE_UNAVAILABLE', requestId: 'request-1', cause })],
    },
  ],
  [
    'the members of a cause that is no error',
    { status: 500, log: ['{"code":"REQUEST_FAILED","cause":{"cause":{"package":"x"}}}'] },
  ],
  ['no lone surrogate', { log: ['{"code":"REQUEST_FAILED","cause":"\\ud800"}'] }],
  ['a cause that is null', { status: 500, log: ['{"code":"REQUEST_FAILED","cause":null}'] }],
  [
    'the members of an error that its stack does not have',
    {
      status: 503,
      log: [
        JSON.stringify({
          code: 'DATABASE_UNAVAILABLE',
          cause: { name: 'E', message: 'x', stack: 'E: x', throttlingReasons: ['TableRead'] },
        }),
      ],
    },
  ],
  [
    'only members that a developer added to the lines that it sums up',
    {
      log: [
        '{"code":"TOKEN_ACCEPTED","tokenId":"0123456789Ab","owner":"ann","scopes":2}',
        '{"code":"TOKEN_ACCEPTED","tokenId":"0123456789Ab","owner":"ann"}',
        '{"code":"PLANTS_LISTED","requestId":"request-1","owner":"ann","status":200,"count":3}',
        '{"code":"PLANTS_LISTED","requestId":"request-1","durationMs":2,"problem":"x"}',
      ],
    },
  ],
  [
    'lines that a developer added',
    { log: ['{"code":"PLANT_CREATED","status":7,"reason":"mine"}', '{"code":"PLANT_DELETED"}'] },
  ],
  [
    'the members of a line with a cause',
    { log: ['{"code":"AUTHORIZER_FAILED","attempt":2,"cause":"x"}'] },
  ],
  [
    'why a function failed',
    { status: 503, failure: { message: 'x', stack: 'Error: x\n    at b.ts:2' } },
  ],
])('the lines of a request show %s', (_, handled) => {
  expect(formatLines(handled)).toMatchSnapshot();
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
  const log = ['{"code":"TOKEN_REFUSED","reason":"expired"}'];
  const line = formatLines({ status, log });
  jest.restoreAllMocks();
  const details = '\u001b[2mthe token is expired\u001b[22m';
  expect(line).toBe(`\u001b[2mTIME\u001b[22m GET    /v1/plants ${painted} 12 ms ${details}`);
});

test('no error of an Authorization header quotes a secret', () => {
  for (const shape of badShapes) {
    const authorization = shape.replaceAll('TOKEN', token);
    const line = formatLines({ ...refused, authorization });
    expect(line).toContain('unauthorized, ');
    expect(line).not.toContain(splitToken(token).secret.slice(0, 11));
  }
});
