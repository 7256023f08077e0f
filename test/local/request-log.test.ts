import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { costTable } from '../../bin/local/cost-table.ts';
import { requestLog } from '../../bin/local/request-log.ts';
import type { FunctionCall } from '../../lib/database/database-front.ts';
import type { Answered } from '../../lib/emulator/emulator.ts';
import { newTrace, type Trace } from '../../lib/emulator/trace.ts';
import { assumedSeconds, lambdaSecond, logEventBytes, prices } from '../../lib/prices.ts';
import { root } from '../support/project.ts';

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

/** Serves a request whose functions log and call this. Returns what was printed, without times. */
function serve({
  answer = {},
  lines = [],
  calls = [],
  ...learned
}: Partial<Trace> & { answer?: Partial<Answered>; lines?: string[]; calls?: FunctionCall[] }) {
  const trace = { ...newTrace(), resourcePath: '/plants', ...learned };
  const onAnswer = requests.request(trace);
  for (const line of lines) requests.log('ListPlants', line, trace.id);
  for (const call of calls) requests.call({ ...call, traceId: trace.id });
  onAnswer({ ...answered, ...answer });
  return printed.map((text) => text.replace(/^\d\d:\d\d:\d\d\.\d{3} /, ''));
}

test("text of a function is printed, but not Lambda's own lines about it", () => {
  const own = ['START RequestId: r\tVersion: $LATEST', 'REPORT RequestId: r\tDuration: 1 ms'];
  const [text] = serve({ lines: [...own, '2026-01-02T03:04:05.678Z\tr\tINFO\thello'] });
  expect(text).toBe('ListPlants 2026-01-02T03:04:05.678Z\tr\tINFO\thello');
  expect(printed).toHaveLength(2);
});

describe('a request is told of in one line', () => {
  test('with its owner, how it was authorized, and what it used', () => {
    const trace = { principalId: 'demo', authorizer: 'cached', invocations: 1 } as const;
    const calls = [query(), query({ units: { reads: 0.5, writes: 1 } })];
    const lines = [platform('start'), app('INFO', { code: 'PLANTS_LISTED' }), platform('report')];
    expect(serve({ ...trace, calls, lines })).toEqual([
      'GET    /v1/plants 200 12 ms demo, authorizer cached, 1.5 read units, 1 write unit',
    ]);
    expect(printed[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} /);
  });

  test('with a cold start', () => {
    expect(serve({ authorizer: 'asked', invocations: 2, coldStarts: 1 })).toEqual([
      'GET    /v1/plants 200 12 ms authorizer asked, cold start',
    ]);
  });

  test('with the code of a problem', () => {
    const body = '{"type":"urn:problem-type:plant-store:plant-not-found"}';
    expect(serve({ answer: { method: 'DELETE', statusCode: 404, body } })).toEqual([
      'DELETE /v1/plants 404 12 ms plant-not-found',
    ]);
  });

  test('with the reason why a token was refused, which is no error', () => {
    const lines = [
      app('INFO', { code: 'TOKEN_REFUSED', reason: 'mistyped' }),
      app('ERROR', { errorType: 'Lr', errorMessage: 'Unauthorized', stackTrace: [] }),
    ];
    const body = '{"type":"urn:problem-type:plant-store:unauthorized"}';
    expect(serve({ authorizer: 'asked', lines, answer: { statusCode: 401, body } })).toEqual([
      'GET    /v1/plants 401 12 ms unauthorized, token mistyped, authorizer asked',
    ]);
  });

  test('with a hint if the stage was forgotten', () => {
    const answer = { url: '/plants?limit=1', statusCode: 403, body: '{"message":"Forbidden"}' };
    expect(serve({ answer })).toEqual([
      'GET    /plants?limit=1 403 12 ms forgotten /v1? All paths begin with it: /v1/plants?limit=1',
    ]);
  });

  test.each([
    ['an access token', `/v1/pst_${'a'.repeat(12)}_${'b'.repeat(49)}/x`, '/v1/pst_…/x'],
    [
      'an encoded access token',
      `/v1?t=${'pst_'.replace('_', '%5F')}${'a'.repeat(12)}%5f${'b'.repeat(49)}`,
      '/v1?t=pst_…',
    ],
    ['a control character', '/v1/\u009b31m', '/v1/%C2%9B31m'],
  ])('without %s', (_, url, expected) => {
    expect(serve({ answer: { url } })).toEqual([`GET    ${expected} 200 12 ms`]);
  });

  test('in colours only on a terminal', () => {
    const module = join(root, 'bin', 'local', 'request-log.ts');
    const program = `import { requestLog } from ${JSON.stringify(pathToFileURL(module))};
      requestLog(console.log).request(${JSON.stringify(newTrace())})(${JSON.stringify(answered)});`;
    const print = (environment: object) =>
      spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
        env: { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...environment },
        encoding: 'utf8',
        timeout: 30_000,
      }).stdout;
    expect(print({})).toMatch(/ GET {4}\/v1\/plants 200 12 ms\n$/);
    expect(print({ FORCE_COLOR: '1' })).toContain('\u001b[32m200\u001b[39m');
  });
});

describe('a fault of ours is told of in full', () => {
  test('with its stack, what is beside it, and its own cause', () => {
    const cause = { name: 'Error', message: 'socket', stack: 'Error: socket\n    at b.ts:2' };
    const failure = {
      code: 'DATABASE_UNAVAILABLE',
      cause: { name: 'E', message: 'm', stack: 'E: m\n    at a.ts:1', $metadata: {}, cause },
    };
    const [, told] = serve({ lines: [app('ERROR', failure)], answer: { statusCode: 503 } });
    expect(told?.split('\n')).toEqual([
      '    DATABASE_UNAVAILABLE: E: m',
      '        at a.ts:1',
      '    {"$metadata":{}}',
      '    caused by Error: socket',
      '        at b.ts:2',
    ]);
  });

  test('with what a role does not allow, and where to allow it', () => {
    const calls = [query({ denied: 'User: … is not authorized …' })];
    expect(serve({ calls, answer: { statusCode: 500 } }).slice(1)).toEqual([
      '    The role of ListPlants does not allow dynamodb:Query on Plants. ' +
        'If it should, add the action to ListPlants in lib/plant-store-stack.ts.',
    ]);
  });
});

test.each([
  [app('INFO', 'looked at'), 'INFO ListPlants looked at'],
  [app('WARN', { odd: true }), 'WARN ListPlants {"odd":true}'],
  [
    app('ERROR', { errorMessage: 'x', stackTrace: ['E: x', ' at y'] }),
    'ERROR ListPlants E: x\n at y',
  ],
  ['raw', 'ListPlants raw'],
  ['7', 'ListPlants 7'],
])('what a function itself has logged is printed: %j', (line, expected) => {
  requests.log('ListPlants', line);
  expect(printed.map((text) => text.replace(/^[\d:.]+ /, ''))).toEqual([expected]);
});

test('Lambda’s own lines are printed if it is verbose', () => {
  const lines = [platform('start'), app('INFO', { code: 'PLANTS_LISTED' }), 'raw'];
  requests = requestLog((text) => printed.push(text), { verbose: true });
  expect(serve({ lines }).slice(0, 3)).toEqual(lines.map((line) => `ListPlants ${line}`));
});

test('the cost table has what each operation used and costs', () => {
  const line = 'x'.repeat(1000 - logEventBytes(''));
  for (const coldStarts of [1, 0])
    serve({ invocations: 1, coldStarts, calls: [query()], lines: [line] });
  const write = query({ units: { reads: 0, writes: 3 } });
  serve({ answer: { method: 'POST' }, invocations: 1, calls: [write, write] });
  serve({ answer: { method: 'DELETE', statusCode: 401 }, invocations: 1 });
  const nowhere = requests.request(newTrace());
  nowhere({ ...answered, statusCode: 404 });

  const invoking =
    prices.millionGatewayRequests +
    prices.millionLambdaRequests +
    1e6 * assumedSeconds * lambdaSecond;
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
