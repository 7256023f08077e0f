import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { temporaryFolder } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/http/http-client.ts';
import { answering, type Fixture, gate, startFixture } from './fixture.ts';

const concurrency = 3;
let fixture: Fixture;
let arrivals = 0;
beforeAll(async () => {
  fixture = await startFixture({
    dynamodbEndpoint: 'http://database.example',
    concurrency,
    onRequest() {
      arrivals += 1;
      return () => {};
    },
  });
});

/** Asks a function to do something. Returns the answer and the lines that were logged meanwhile. */
async function ask(what: string, path = '/v1/fault', more: object = {}) {
  const start = fixture.log.length;
  const sent = { method: 'POST', path, body: JSON.stringify({ do: what, ...more }) };
  const { status, headers, body } = await send(fixture.origin, sent);
  const lines = fixture.log.slice(start).map(({ line }) => line);
  const entries = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  return { status, headers, body: JSON.parse(body || 'null'), lines, entries };
}

describe('a fault is answered as the gateway does, and the next request is served', () => {
  test.each([
    { what: 'throws an error', environment: 'the same', errorType: 'TypeError' },
    { what: 'throws what is no error', environment: 'the same', errorType: 'string' },
    { what: 'throws null', environment: 'the same', errorType: 'object' },
    { what: 'rejects', environment: 'the same', errorType: 'Error' },
    { what: 'overflows the stack', environment: 'the same', errorType: 'RangeError' },
    { what: 'waits for nothing', environment: 'a new one', errorType: 'Runtime.ExitError' },
    { what: 'takes too long', environment: 'a new one', errorType: 'Sandbox.Timedout' },
    {
      what: 'never lets go of the processor',
      environment: 'a new one',
      errorType: 'Sandbox.Timedout',
    },
    { what: 'exits with 0', environment: 'a new one', errorType: 'Runtime.ExitError' },
    { what: 'exits with 3', environment: 'a new one', errorType: 'Runtime.ExitError' },
    { what: 'leaves a rejection unhandled', environment: 'a new one', errorType: 'Error' },
    { what: 'throws from a timer', environment: 'a new one', errorType: 'Error' },
    { what: 'uses up its memory', environment: 'a new one', errorType: 'Runtime.OutOfMemory' },
    { what: 'returns nothing', environment: 'the same', errorType: undefined },
    { what: 'returns a cycle', environment: 'the same', errorType: 'Runtime.JSONStringifyError' },
    {
      what: 'returns what JSON does not know',
      environment: 'the same',
      errorType: 'Runtime.JSONStringifyError',
    },
    {
      what: 'returns more than 6 MB',
      environment: 'the same',
      errorType: 'Function.ResponseSizeTooLarge',
    },
    { what: 'returns text', environment: 'the same', errorType: undefined },
    { what: 'returns a header that is none', environment: 'the same', errorType: undefined },
    { what: 'breaks its own console', environment: 'a new one', errorType: 'Error' },
    {
      what: 'closes the port to whoever started it',
      environment: 'a new one',
      errorType: 'Sandbox.Timedout',
    },
  ])('$what', async ({ what, environment, errorType }) => {
    // The function with a short timeout tries what only a timeout ends.
    const path = errorType === 'Sandbox.Timedout' ? '/v1/hasty' : '/v1/fault';
    const before = await ask('nothing', path);
    const { status, body, entries } = await ask(what, path);
    expect({ status, body }).toEqual({ status: 502, body: { message: 'Internal server error' } });
    const ends = entries
      .filter(({ record }) => record && record.status !== undefined)
      .map(({ type, record }) => ({ type, errorType: record.errorType }));
    const report = { type: 'platform.report', errorType };
    // Lambda knows nothing of a response that only the gateway refuses.
    const isFailure = errorType !== undefined;
    expect(ends).toEqual(
      isFailure ? [{ type: 'platform.runtimeDone', errorType }, report] : [report],
    );
    const after = await ask('nothing', path);
    expect(after.status).toBe(200);
    const isSame = after.body.environment === before.body.environment;
    expect(isSame ? 'the same' : 'a new one').toBe(environment);
  });

  test.each([
    ['callback', 'Runtime.CallbackHandlerDeprecated'],
    ['constant', 'Runtime.HandlerNotFound'],
    ['nothing', 'Runtime.ImportModuleError'],
    ['throws', 'Error'],
    ['exits', 'Runtime.ExitError'],
    ['waits', 'Runtime.ExitError'],
  ])('INIT: %s', async (name, errorType) => {
    for (const _ of ['once', 'again']) {
      const { status, entries } = await ask('', `/v1/init/${name}`);
      expect(status).toBe(502);
      const record = { status: 'error', errorType };
      expect(entries.at(-1)).toMatchObject({ type: 'platform.report', record });
    }
  });

  test('INIT that fails is answered to each of the invocations that wait', async () => {
    const answers = await Promise.all(times(3 * concurrency, () => ask('', '/v1/init/exits')));
    expect(answers.map(({ status }) => status)).toEqual(Array(3 * concurrency).fill(502));
  });

  test('a crash between two requests does not reach the next request', async () => {
    const start = fixture.log.length;
    expect((await ask('crash when idle')).status).toBe(200);
    await eventually('the log line of a crash', () =>
      fixture.log.slice(start).some(({ line }) => line.startsWith('Runtime.ExitError')),
    );
    expect((await ask('nothing')).status).toBe(200);
  });

  test('a function that is slower than the integration allows gives 503', async () => {
    const start = fixture.log.length;
    const answer = await ask('takes too long', '/v1/impatient');
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    // The invocation goes on, and its lines are no other test's.
    await eventually('the report of the invocation', () =>
      fixture.log.slice(start).some(({ line }) => line.includes('"platform.report"')),
    );
  });
});

test('a function sees only the environment variables of the template and of Lambda', async () => {
  process.env.OF_THE_DEVELOPER = 'secret';
  const { body } = await ask('tell the environment');
  delete process.env.OF_THE_DEVELOPER;
  expect(body).toMatchObject({
    TABLE: 'TableCD117FA1',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://database.example',
    AWS_REGION: 'us-east-1',
    TZ: ':UTC',
  });
  const others = Object.keys(body).filter((name) => !name.startsWith('AWS_'));
  expect(others.sort()).toEqual([
    'LAMBDA_TASK_ROOT',
    'TABLE',
    'TZ',
    '_HANDLER',
    '_X_AMZN_TRACE_ID',
  ]);
});

test('a function has a context and a heap limited to its memory', async () => {
  const { body } = await ask('tell the context', '/v1/hasty');
  expect(body).toMatchObject({
    functionName: expect.stringMatching(/^Hasty/),
    functionVersion: '$LATEST',
    memoryLimitInMB: '128',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${body.functionName}`,
    awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(body.remaining).toBeGreaterThan(0);
  expect(body.remaining).toBeLessThanOrEqual(1000);
  expect((await ask('tell the heap limit')).body / 1024 / 1024).toBeLessThan(200);
});

test.each(['throws from a timer', 'leaves a rejection unhandled'])(
  'a function that %s logs the frames of its code',
  async (what) => {
    const { lines } = await ask(what);
    const frame = /^Error: on purpose\n +at .*index\.mjs:\d+:\d+/;
    expect(lines).toContainEqual(expect.stringMatching(frame));
  },
);

/** Returns the delays of the timers that guard two requests, of which one is authorized. */
async function timeoutsOf(options: Parameters<typeof startFixture>[0]) {
  const debugged = await startFixture(options);
  const setTimeouts = jest.spyOn(globalThis, 'setTimeout');
  try {
    const body = JSON.stringify({ do: 'tell the context' });
    const answer = await send(debugged.origin, { method: 'POST', path: '/v1/hasty', body });
    const allow = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: '*' };
    await send(debugged.origin, { path: '/v1/guarded', headers: answering(allow) });
    const delays = setTimeouts.mock.calls.map(([, delay = 0]) => delay);
    return { delays, remaining: JSON.parse(answer.body).remaining };
  } finally {
    setTimeouts.mockRestore();
  }
}

test('under a debugger all timeouts are the longest, also what a handler is told', async () => {
  // INIT and invocation of two functions and an authorizer, and the gateway's wait for both.
  const usual = (await timeoutsOf({})).delays;
  expect(usual).toEqual(expect.arrayContaining([10_000, 1000, 3000, 29_000]));
  const longest = 2 ** 31 - 1;
  const { delays, remaining } = await timeoutsOf({ isDebugged: true });
  expect(delays).toEqual(usual.map(() => longest));
  expect(delays).toHaveLength(8);
  expect(remaining).toBeGreaterThan(longest - 600_000);
});

test('log lines are as Lambda writes them', async () => {
  const { lines, entries } = await ask('log');
  const { requestId } = entries[0].record;
  const platform = (type: string, record: object) => ({
    time: expect.any(String),
    type: `platform.${type}`,
    record: { requestId, ...record },
  });
  function line(level: string, message: unknown, more: object = {}) {
    return { timestamp: expect.any(String), level, requestId, message, ...more };
  }
  const error = (errorMessage: string) => ({
    errorType: 'RangeError',
    errorMessage,
    stackTrace: expect.any(Array),
  });
  expect(entries).toEqual([
    platform('start', { version: '$LATEST' }),
    line('INFO', 'a text'),
    line('INFO', { code: 'CODE' }),
    line('ERROR', expect.stringMatching(/^went wrong: RangeError: so far/), error('so far')),
    line('ERROR', error('alone')),
    line('WARN', '{ big: 1n }'),
    platform('report', { metrics: expect.any(Object), status: 'success' }),
  ]);
  expect([...lines, ...(await ask('exits with 0')).lines]).toContain('raw');
});

const times = <T>(count: number, call: () => Promise<T>) => Array.from({ length: count }, call);

/** Holds as many invocations at a gate as can run at once. */
async function fill(what: string, path: string) {
  const waiting = gate();
  const deed = { gate: await waiting.url };
  const held = times(concurrency, () => ask(what, path, deed));
  await waiting.holds(concurrency);
  return { ...waiting, held, deed };
}

test('invocations up to the limit run at once, each in its own environment', async () => {
  const { held, deed, holds, release } = await fill('wait at a gate', '/v1/fault');
  const more = times(2, () => ask('wait at a gate', '/v1/fault', deed));
  release();
  await holds(2);
  release();
  const environments = (await Promise.all([...held, ...more])).map(({ body }) => body.environment);
  expect(new Set(environments).size).toBe(concurrency);
});

/** Sends requests that must wait, one after the other. Each adds a letter to a file. */
async function queue() {
  const file = join(temporaryFolder(), 'file');
  const behind: ReturnType<typeof ask>[] = [];
  for (const text of 'abcd') {
    const before = arrivals;
    behind.push(ask('add to a file', '/v1/fault', { file, text }));
    await eventually('the arrival of a request', () => arrivals > before);
  }
  return { behind, added: () => readFileSync(file, 'utf8') };
}

test('invocations that wait are served in turn, as soon as one environment is idle', async () => {
  const { held, release } = await fill('wait at a gate', '/v1/fault');
  const { behind, added } = await queue();
  release(concurrency - 1);
  for (const { status } of await Promise.all(behind)) {
    expect(status).toBe(200);
  }
  expect(added()).toBe('abcd');
  release();
  for (const { status } of await Promise.all(held)) {
    expect(status).toBe(200);
  }
});

test('INIT is billed with the invocation that waited for it', async () => {
  await ask('exits with 3');
  await ask('nothing');
  const reports = fixture.log
    .filter(({ line }) => line.includes('"platform.report"'))
    .map(({ line }) => JSON.parse(line).record.metrics);
  expect(reports).toContainEqual(expect.objectContaining({ initDurationMs: expect.any(Number) }));
  for (const { durationMs, initDurationMs = 0, billedDurationMs } of reports) {
    // Durations are rounded to a hundredth, and the bill up to a whole millisecond.
    const unused = billedDurationMs - durationMs - initDurationMs;
    expect([unused > -0.02, unused < 1.02]).toEqual([true, true]);
  }
});

test('each invocation logs in one piece, for its own request', async () => {
  const start = fixture.log.length;
  await Promise.all(times(3 * concurrency, () => ask('log')));
  const entries = fixture.log
    .slice(start)
    .filter(({ line }) => line.startsWith('{'))
    .map(({ line, traceId }) => ({ ...JSON.parse(line), traceId }));
  const all = Map.groupBy(entries, ({ requestId, record }) => requestId ?? record.requestId);
  // An invocation that an earlier test gave up may still end.
  const logs = [...all.values()].filter((log) => log.some(({ message }) => message === 'a text'));
  expect(new Set(logs.map(([{ traceId }]) => traceId)).size).toBe(3 * concurrency);
  expect(logs).toHaveLength(3 * concurrency);
  for (const [first, ...rest] of logs) {
    expect([first.type, rest.at(-1).type]).toEqual(['platform.start', 'platform.report']);
    for (const { traceId } of rest) {
      expect(traceId).toBe(first.traceId);
    }
  }
});

test('invocations that wait are served by new environments if all end', async () => {
  const { held, release } = await fill('exit behind a gate', '/v1/fault');
  const { behind, added } = await queue();
  release();
  for (const { status } of await Promise.all(held)) {
    expect(status).toBe(502);
  }
  for (const { status } of await Promise.all(behind)) {
    expect(status).toBe(200);
  }
  expect([...added()].sort().join('')).toBe('abcd');
});

test.each([
  ['add to a file and exit', '/v1/fault'],
  ['add to a file and take too long', '/v1/hasty'],
])('an invocation that fails is not repeated: %s', async (what, path) => {
  const file = join(temporaryFolder(), 'file');
  expect((await ask(what, path, { file, text: 'once' })).status).toBe(502);
  expect(readFileSync(file, 'utf8')).toBe('once');
});
