import { expect, test } from '@jest/globals';
import { tokenParts } from '../../functions/shared/access-token.ts';
import type { HandledRequest } from '../../lib/offline/gateway.ts';
import { formatRequest } from '../../lib/offline/request-log.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { splitToken } from '../support/access-tokens/parts.ts';
import { badShapes } from '../support/access-tokens/shapes.ts';

/** Returns a request's lines without the time. */
function formatLines(more: Partial<HandledRequest>): string[] {
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
  return formatRequest(handled)
    .replace(/^\d\d:\d\d:\d\d\.\d{3} /, '')
    .split('\n');
}

const token = forge();
const problem = (code: string) => `{"type":"urn:problem-type:plant-store:${code}"}`;
const refused = { status: 401, body: problem('unauthorized') };
const cause = { stack: 'Error: first\n    at a.ts:1', cause: { stack: 'Error: second\u001b[2J' } };

test.each<[what: string, Partial<HandledRequest>, ...lines: string[]]>([
  ['the status and the time', {}, 'GET    /v1/plants 200 12 ms'],
  [
    'the code of a problem',
    { method: 'DELETE', status: 404, body: problem('plant-not-found') },
    'DELETE /v1/plants 404 12 ms plant-not-found',
  ],
  [
    'why the authorizer rejected a token',
    { ...refused, log: ['{"code":"TOKEN_REFUSED","reason":"expired"}'] },
    'GET    /v1/plants 401 12 ms unauthorized, the token is expired',
  ],
  [
    'that a token is missing',
    refused,
    'GET    /v1/plants 401 12 ms unauthorized, no Authorization header',
  ],
  [
    'that there is no bearer token',
    { ...refused, authorization: token },
    'GET    /v1/plants 401 12 ms unauthorized, the Authorization header is not "Bearer TOKEN"',
  ],
  [
    'that a token has another prefix',
    { ...refused, authorization: 'Bearer $TOKEN' },
    'GET    /v1/plants 401 12 ms unauthorized, the token does not begin with pst_',
  ],
  [
    'that a token is too short',
    { ...refused, authorization: `Bearer ${token.slice(0, -3)}` },
    `GET    /v1/plants 401 12 ms unauthorized, the token has ${token.length - 3} characters instead of ${token.length}`,
  ],
  [
    'that the stage is missing',
    { url: '/plants', status: 403, body: '{"message":"Forbidden"}' },
    'GET    /plants 403 12 ms all paths begin with /v1/',
  ],
  [
    'that only the stage is there',
    { url: '/v1', status: 404, body: problem('no-such-operation') },
    'GET    /v1 404 12 ms no-such-operation, all paths begin with /v1/',
  ],
  [
    'that a scope is missing',
    { url: '/v1/plants', status: 403, body: problem('insufficient-scope') },
    'GET    /v1/plants 403 12 ms insufficient-scope',
  ],
  ['no token of a path', { url: `/v1/${token}/x` }, 'GET    /v1/pst_…/x 200 12 ms'],
  [
    'no encoded token of a query',
    { url: `/v1?t=${token.replaceAll('_', '%5f')}` },
    'GET    /v1?t=pst_… 200 12 ms',
  ],
  [
    'a code that begins like a token',
    { log: [`{"code":"${tokenParts.prefix.toUpperCase()}CREATED"}`] },
    'GET    /v1/plants 200 12 ms',
    `    ${tokenParts.prefix.toUpperCase()}CREATED`,
  ],
  ['no control character', { url: '/v1/\u009b31m' }, 'GET    /v1/%C2%9B31m 200 12 ms'],
  [
    'the causes of an error that a function logged',
    { status: 503, log: [JSON.stringify({ code: 'DATABASE_UNAVAILABLE', cause })] },
    'GET    /v1/plants 503 12 ms',
    '    DATABASE_UNAVAILABLE: Error: first',
    '        at a.ts:1',
    '    caused by Error: second%1B[2J',
  ],
  [
    'the members of a cause that is no error',
    { status: 500, log: ['{"code":"REQUEST_FAILED","cause":{"cause":{"package":"x"}}}'] },
    'GET    /v1/plants 500 12 ms',
    '    REQUEST_FAILED: {}',
    '    caused by {"package":"x"}',
  ],
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
    'GET    /v1/plants 503 12 ms',
    '    DATABASE_UNAVAILABLE: E: x',
    '    {"throttlingReasons":["TableRead"]}',
  ],
  [
    'members that a developer added to the lines that it sums up',
    {
      log: [
        '{"code":"TOKEN_ACCEPTED","tokenId":"0123456789Ab","owner":"ann","scopes":2}',
        '{"code":"PLANTS_LISTED","requestId":"request-1","owner":"ann","status":200,"count":3}',
      ],
    },
    'GET    /v1/plants 200 12 ms',
    '    TOKEN_ACCEPTED {"scopes":2}',
    '    PLANTS_LISTED {"count":3}',
  ],
  [
    'lines that a developer added',
    { log: ['{"code":"PLANT_CREATED","status":7,"reason":"mine"}', '{"code":"PLANT_DELETED"}'] },
    'GET    /v1/plants 200 12 ms',
    '    PLANT_CREATED {"status":7,"reason":"mine"}',
    '    PLANT_DELETED',
  ],
  [
    'the members of a line with a cause',
    { log: ['{"code":"AUTHORIZER_FAILED","attempt":2,"cause":"x"}'] },
    'GET    /v1/plants 200 12 ms',
    '    AUTHORIZER_FAILED {"attempt":2}: x',
  ],
  [
    'why a function failed',
    { status: 503, failure: { message: 'x', stack: 'Error: x\n    at b.ts:2' } },
    'GET    /v1/plants 503 12 ms',
    '    Error: x',
    '        at b.ts:2',
  ],
])('the lines of a request show %s', (_, handled, ...lines) => {
  expect(formatLines(handled)).toEqual(lines);
});

test('no error of an Authorization header quotes a secret', () => {
  for (const shape of badShapes) {
    const authorization = shape.replaceAll('TOKEN', token);
    const [line = ''] = formatLines({ ...refused, authorization });
    expect(line).toContain('unauthorized, ');
    expect(line).not.toContain(splitToken(token).secret.slice(0, 11));
  }
});
