import { PassThrough } from 'node:stream';
import { beforeEach, expect, jest, test } from '@jest/globals';
import { authorizationFault } from '../../bin/start/authorization-fault.ts';
import { costTable } from '../../bin/start/cost-table.ts';
import { requestLog } from '../../bin/start/request-log.ts';
import type { FunctionCall } from '../../lib/offline/database/database-front.ts';
import type { Answered } from '../../lib/offline/emulator.ts';
import { newTrace, type Trace } from '../../lib/offline/trace.ts';
import {
  assumedInit,
  assumedSeconds,
  lambdaSecond,
  logEventBytes,
  prices,
} from '../../lib/prices.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { badShapes } from '../support/access-tokens/shapes.ts';

let printed: string[];
let requests: ReturnType<typeof requestLog>;
beforeEach(() => {
  printed = [];
  requests = requestLog((text) => printed.push(text));
});

const timestamp = '2026-01-02T03:04:05.678Z';
const app = (level: string, message: unknown) =>
  JSON.stringify({ timestamp, level, requestId: 'r', message });
const platform = (type: string) => JSON.stringify({ time: timestamp, type: `platform.${type}` });
const answered: Answered = {
  method: 'GET',
  url: '/v1/plants',
  statusCode: 200,
  body: '[]',
  durationMs: 12.4,
  stageName: 'v1',
};
const query = (more: Partial<FunctionCall> = {}): FunctionCall => ({
  functionName: 'ListPlants',
  traceId: undefined,
  action: 'dynamodb:Query',
  tables: ['Plants'],
  units: { reads: 1, writes: 0 },
  denied: undefined,
  ...more,
});

interface Told extends Partial<Trace> {
  answer?: Partial<Answered>;
  lines?: string[];
  calls?: FunctionCall[];
}

/** Serves a request whose functions log and call this. Returns what was printed, without times. */
function serve({ answer = {}, lines = [], calls = [], ...learned }: Told) {
  const trace = { ...newTrace(), resourcePath: '/plants', ...learned };
  const onAnswer = requests.request(trace);
  for (const line of lines) {
    requests.log('ListPlants', line, trace.id);
  }
  for (const call of calls) {
    requests.call({ ...call, traceId: trace.id });
  }
  onAnswer({ ...answered, ...answer });
  return printed.map((text) => text.replace(/^\d\d:\d\d:\d\d\.\d{3} /, ''));
}

const problem = (code: string) => `{"type":"urn:problem-type:plant-store:${code}"}`;
const secret = `${'a'.repeat(12)}_${'b'.repeat(49)}`;
const encoded = `pst_${secret}`.replaceAll('_', '%5F');
const at = (url: string) => ({ answer: { url } });
const causeOfCause = { name: 'Error', message: 'socket', stack: 'Error: socket\n    at b.ts:2' };
const stack = 'E: m\n    at a.ts:1';
const cause = { name: 'E', message: 'm', stack, $metadata: {}, cause: causeOfCause };

test.each<[what: string, Told, ...lines: string[]]>([
  [
    'its owner, how it was authorized, and what it used',
    {
      principalId: 'demo',
      authorizer: 'cached',
      invocations: 1,
      calls: [query(), query({ units: { reads: 0.5, writes: 1 } })],
      lines: [platform('start'), app('INFO', { code: 'PLANTS_LISTED' }), platform('report')],
    },
    'GET    /v1/plants 200 12 ms demo, authorizer cached, 1.5 read units, 1 write unit',
  ],
  [
    'a cold start',
    { authorizer: 'asked', invocations: 2, coldStarts: 1 },
    'GET    /v1/plants 200 12 ms authorizer asked, cold start',
  ],
  [
    'the code of a problem',
    { answer: { method: 'DELETE', statusCode: 404, body: problem('plant-not-found') } },
    'DELETE /v1/plants 404 12 ms plant-not-found',
  ],
  [
    'the reason why a token was refused, which is no error',
    {
      authorizer: 'asked',
      lines: [
        app('INFO', { code: 'TOKEN_REFUSED', reason: 'mistyped' }),
        app('ERROR', { errorType: 'Lr', errorMessage: 'Unauthorized', stackTrace: [] }),
      ],
      answer: { statusCode: 401, body: problem('unauthorized') },
    },
    'GET    /v1/plants 401 12 ms unauthorized, token mistyped, authorizer asked',
  ],
  [
    'what is wrong with its Authorization header',
    { identity: 'Bearer', answer: { statusCode: 401, body: problem('unauthorized') } },
    'GET    /v1/plants 401 12 ms unauthorized, ' +
      'no token after "Bearer", as if a variable of the shell was empty',
  ],
  [
    'a hint if the stage was forgotten',
    { answer: { url: '/plants?limit=1', statusCode: 403, body: '{"message":"Forbidden"}' } },
    'GET    /plants?limit=1 403 12 ms forgotten /v1? All paths begin with it: /v1/plants?limit=1',
  ],
  ['no access token', at(`/v1/pst_${secret}/x`), 'GET    /v1/pst_…/x 200 12 ms'],
  ['no encoded access token', at(`/v1?t=${encoded}`), 'GET    /v1?t=pst_… 200 12 ms'],
  ['no control character', at('/v1/\u009b31m'), 'GET    /v1/%C2%9B31m 200 12 ms'],
  [
    'what a role does not allow, and where to allow it',
    { calls: [query({ denied: 'User: … is not authorized …' })], answer: { statusCode: 500 } },
    'GET    /v1/plants 500 12 ms 1 read unit',
    '    The role of ListPlants does not allow dynamodb:Query on Plants. ' +
      'If it should, add the action to listPlants in functions/shared/operations.ts.',
  ],
  [
    'where to allow an action to a function that is no operation’s',
    { calls: [query({ functionName: 'Authorizer', denied: '…' })], answer: { statusCode: 500 } },
    'GET    /v1/plants 500 12 ms 1 read unit',
    '    The role of Authorizer does not allow dynamodb:Query on Plants. ' +
      'If it should, add the action to Authorizer in lib/plant-store-stack.ts.',
  ],
  [
    'the stack of a fault of ours, what is beside it, and its own cause',
    { lines: [app('ERROR', { code: 'DATABASE_UNAVAILABLE', cause })], answer: { statusCode: 503 } },
    'GET    /v1/plants 503 12 ms',
    '    DATABASE_UNAVAILABLE: E: m\n        at a.ts:1\n    {"$metadata":{}}\n' +
      '    caused by Error: socket\n        at b.ts:2',
  ],
])('a request is told of with %s', (_, told, ...lines) => {
  expect(serve(told)).toEqual(lines);
  expect(printed[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} /);
});

test.each([
  [undefined, 'no Authorization header'],
  ['', 'an empty Authorization header'],
  ['Basic YTpi', 'the scheme Basic instead of Bearer'],
  ['Token TOKEN', 'the scheme Token instead of Bearer'],
  ['TOKEN', 'no "Bearer" before the token'],
  ['SECRET', 'no "Bearer" before the token'],
  ['Bearer: TOKEN', 'something other than a space after "Bearer"'],
  ['BearerTOKEN', 'something other than a space after "Bearer"'],
  ['Bearer\tTOKEN', 'no space after "Bearer"'],
  ['Bearer', 'no token after "Bearer", as if a variable of the shell was empty'],
  ['Bearer Bearer TOKEN', '"Bearer" twice'],
  ['bearer bearer', '"Bearer" twice'],
  [
    'Bearer $TOKEN',
    'a variable in place of the token, which a shell replaces in double quotes only',
  ],
  ['Bearer "TOKEN"', 'quotes or brackets around the token'],
  ['Bearer TOKEN TOKEN', 'something after the token'],
  ['Bearer SECRET', 'a token that does not begin with pst_'],
  ['Bearer TOKEN0', 'a token that is too long: 67 of 66 characters'],
  ['Bearer CUT', 'a token that is cut: 59 of 66 characters'],
  ['Bearer ODD', 'a token with a character that tokens do not have'],
])('the Authorization header %j is told as: %s', (shape, expected) => {
  const token = forge();
  const variants = {
    TOKEN: token,
    SECRET: token.slice(17),
    CUT: token.slice(0, -7),
    ODD: `${token.slice(0, -1)}-`,
  };
  const header = shape?.replace(
    /(?<!\$)\b(TOKEN|SECRET|CUT|ODD)/g,
    (name) => `${variants[name as 'TOKEN']}`,
  );
  expect(authorizationFault(header)).toBe(expected);
});

test('no fault of an Authorization header quotes what may be a secret', () => {
  const token = forge();
  for (const shape of badShapes) {
    const fault = authorizationFault(shape.replaceAll('TOKEN', token).trim());
    expect(fault).not.toBe('');
    for (let i = 4; i + 8 <= token.length; i += 1) {
      expect(fault).not.toContain(token.slice(i, i + 8));
    }
  }
});

test('of a stack, the own frames are printed, or all if none is', () => {
  const foreign = [
    '    at Module._compile (node:internal/modules/cjs/loader:1929:14)',
    '    at async runRequest (/store/node_modules/@middy/core/index.js:219:25)',
    '    at async node:internal/modules/esm/loader:647:26',
    '    at C:\\store\\node_modules\\@middy\\core\\index.js:1:2',
    '    at async file:///store/lib/offline/lambda/runtime.mjs:64:21',
    '    at file:///store/node_modules/.cache/plant-store-work/1-x/asset.1/start.mjs:2:46',
  ];
  const own = [
    '    at Object.<anonymous> (/store/functions/delete-plant.ts:9:7)',
    '    at handler (/store/node_modules/.cache/plant-store-work/1-x/asset.1/index.js:1:2)',
  ];
  const print = (frames: string[]) => {
    const stackTrace = ['TypeError: at node: x', ...frames];
    requests.log('ListPlants', app('ERROR', { errorMessage: 'x', stackTrace }));
    return printed.at(-1)?.split('\n').slice(1);
  };
  expect(print([...foreign, ...own])).toEqual(own);
  expect(print(foreign)).toEqual(foreign);
  // An exception outside a handler ends the thread, and is no JSON.
  requests.log('ListPlants', ['E: m', ...foreign, ...own].join('\n'));
  expect(printed.at(-1)).toBe(['ListPlants E: m', ...own].join('\n'));
  const stack = ['E: m', ...own.slice(0, 1), ...foreign].join('\n');
  const lines = [app('ERROR', { code: 'REQUEST_FAILED', cause: { stack } })];
  expect(serve({ lines }).at(-1)).toBe(`    REQUEST_FAILED: E: m\n    ${own[0]}`);
});

test('a line has colours on a terminal', () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  jest.spyOn(process, 'stderr', 'get').mockReturnValue(terminal as never);
  expect(serve({})).toEqual([expect.stringContaining('\u001b[32m200\u001b[39m')]);
  jest.restoreAllMocks();
});

test.each([
  [app('INFO', 'looked at'), 'INFO ListPlants looked at'],
  [app('WARN', { odd: true }), 'WARN ListPlants {"odd":true}'],
  [app('ERROR', { errorMessage: 'x', stackTrace: ['E: x', ' y'] }), 'ERROR ListPlants E: x\n y'],
  ['raw', 'ListPlants raw'],
  ['7', 'ListPlants 7'],
  ['2026-01-02\tr\tINFO\thello', 'ListPlants 2026-01-02\tr\tINFO\thello'],
  ['START RequestId: r\tVersion: $LATEST'],
  ['REPORT RequestId: r\tDuration: 1 ms'],
])('what a function itself has logged is printed: %j', (line, ...expected) => {
  requests.log('ListPlants', line);
  expect(printed.map((text) => text.replace(/^[\d:.]+ (?=[A-Z])/, ''))).toEqual(expected);
});

test('Lambda’s own lines are printed if it is verbose', () => {
  const lines = [platform('start'), app('INFO', { code: 'PLANTS_LISTED' }), 'raw'];
  requests = requestLog((text) => printed.push(text), { verbose: true });
  expect(serve({ lines }).slice(0, 3)).toEqual(lines.map((line) => `ListPlants ${line}`));
});

test('the cost table has what each operation used and costs', () => {
  const line = 'x'.repeat(1000 - logEventBytes(''));
  for (const coldStarts of [1, 0]) {
    serve({ invocations: 1, coldStarts, calls: [query()], lines: [line] });
  }
  const write = query({ units: { reads: 0, writes: 3 } });
  serve({ answer: { method: 'POST' }, invocations: 1, calls: [write, write] });
  serve({ answer: { method: 'DELETE', statusCode: 401 }, invocations: 1 });
  const nowhere = requests.request(newTrace());
  nowhere({ ...answered, statusCode: 404 });

  const invoking =
    prices.millionGatewayRequests +
    prices.millionLambdaRequests +
    1e6 * (assumedSeconds + assumedInit.share * assumedInit.seconds) * lambdaSecond;
  const listing = invoking + prices.millionTableReads + prices.logGb;
  const creating = invoking + 6 * prices.millionTableWrites;
  const table = costTable(requests.totals);
  expect(Math.max(...table.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  const rows = table.split('\n').map((row) => row.split(/ {2,}/));
  const refusing = invoking - prices.millionGatewayRequests;
  expect(rows).toContainEqual(['DELETE /plants', '1', '0', '0', '0', refusing.toFixed(2)]);
  expect(rows).toContainEqual(['GET /plants', '2', '1', '2', '0', listing.toFixed(2)]);
  expect(rows).toContainEqual(['POST /plants', '1', '0', '0', '6', creating.toFixed(2)]);
  expect(rows).toContainEqual(['no operation', '1', '0', '0', '0', '3.50']);
});
