import { beforeAll, describe, expect, test } from '@jest/globals';
import { defaultConcurrency as concurrency } from '../../lib/emulator/lambda/function-pool.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/http/http-client.ts';
import { startFixture } from './fixture.ts';
import { gate } from './gate.ts';

let fixture: Awaited<ReturnType<typeof startFixture>>;
beforeAll(async () => {
  fixture = await startFixture({ dynamodbEndpoint: 'http://database.example' });
});

const ask = async (what: string, more: object = {}, path = '/v1/fault') => {
  const { status, headers, body } = await send(fixture.origin, {
    method: 'POST',
    path,
    body: JSON.stringify({ do: what, ...more }),
  });
  return { status, headers, body: JSON.parse(body || 'null') };
};
const loggedSince = (start: number) => fixture.log.slice(start).map(({ line }) => line);
const entries = (lines: string[]) =>
  lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));

describe('a fault is answered as the gateway does, and the next request is served', () => {
  const same = true;
  const fresh = false;
  test.each([
    ['throws an error', same, 'TypeError'],
    ['throws what is no error', same, 'string'],
    ['throws null', same, 'object'],
    ['rejects', same, 'Error'],
    ['overflows the stack', same, 'RangeError'],
    ['waits for nothing', fresh, 'Runtime.ExitError'],
    ['takes too long', fresh, 'Sandbox.Timedout'],
    ['never lets go of the processor', fresh, 'Sandbox.Timedout'],
    ['exits with 0', fresh, 'Runtime.ExitError'],
    ['exits with 3', fresh, 'Runtime.ExitError'],
    ['leaves a rejection unhandled', fresh, 'Error'],
    ['throws from a timer', fresh, 'Error'],
    ['uses up its memory', fresh, 'Runtime.OutOfMemory'],
    ['returns nothing', fresh, undefined],
    ['returns a cycle', same, 'Runtime.JSONStringifyError'],
    ['returns what JSON does not know', same, 'Runtime.JSONStringifyError'],
    ['returns more than 6 MB', fresh, 'Function.ResponseSizeTooLarge'],
    ['returns text', fresh, undefined],
    ['returns a header that is none', fresh, undefined],
    ['breaks its own console', fresh, 'Error'],
    ['posts to whoever started it', same, 'undefined'],
    ['closes the port to whoever started it', fresh, 'Sandbox.Timedout'],
  ])('%s', async (what, sameEnvironment, errorType) => {
    // The function with a short timeout tries what only a timeout ends.
    const path = errorType === 'Sandbox.Timedout' ? '/v1/hasty' : '/v1/fault';
    const before = await ask('nothing', {}, path);
    const start = fixture.log.length;
    expect(await ask(what, {}, path)).toMatchObject({
      status: 502,
      body: { message: 'Internal server error' },
    });
    const report = entries(loggedSince(start)).find(({ type }) => type === 'platform.report');
    expect(report.record.errorType).toBe(errorType);
    const after = await ask('nothing', {}, path);
    expect(after.status).toBe(200);
    expect(after.body.environment === before.body.environment).toBe(sameEnvironment);
  });

  test.each([
    ['callback', 'Runtime.CallbackHandlerDeprecated'],
    ['constant', 'Runtime.HandlerNotFound'],
    ['missing', 'Runtime.HandlerNotFound'],
    ['nothing', 'Runtime.ImportModuleError'],
    ['throws', 'Error'],
    ['exits', 'Runtime.ExitError'],
    ['waits', 'Runtime.ExitError'],
    ['hungry', 'Runtime.OutOfMemory'],
  ])('INIT: %s', async (name, errorType) => {
    for (const _ of ['once', 'again']) {
      const start = fixture.log.length;
      expect(await ask('', {}, `/v1/init/${name}`)).toMatchObject({ status: 502 });
      expect(entries(loggedSince(start)).at(-1)).toMatchObject({
        type: 'platform.report',
        record: { status: 'error', errorType },
      });
    }
  });

  test('a crash between two requests does not reach the next request', async () => {
    const start = fixture.log.length;
    expect((await ask('crash when idle')).status).toBe(200);
    await eventually('the log line of a crash', () =>
      loggedSince(start).some((line) => line.startsWith('Runtime.ExitError')),
    );
    expect((await ask('nothing')).status).toBe(200);
  });

  test('a function that is slower than the integration allows gives 503', async () => {
    const { status, headers } = await ask('takes too long', {}, '/v1/impatient');
    expect({ status, retryAfter: headers['retry-after'] }).toEqual({
      status: 503,
      retryAfter: '1',
    });
  });
});

describe('a function has what the template and Lambda give it', () => {
  test('it sees only the environment variables of the template and of Lambda', async () => {
    process.env.OF_THE_DEVELOPER = 'secret';
    const { body } = await ask('tell the environment');
    delete process.env.OF_THE_DEVELOPER;
    expect(body).toMatchObject({
      TABLE: 'TableCD117FA1',
      AWS_ENDPOINT_URL_DYNAMODB: 'http://database.example',
      AWS_REGION: 'us-east-1',
      TZ: ':UTC',
    });
    const byLambda = ['_HANDLER', '_X_AMZN_TRACE_ID', 'LAMBDA_TASK_ROOT', 'TZ', 'TABLE'];
    expect(
      Object.keys(body).filter((name) => !name.startsWith('AWS_') && !byLambda.includes(name)),
    ).toEqual([]);
  });

  test('its heap is limited to its memory', async () => {
    const { body } = await ask('tell the heap limit');
    expect(body / 1024 / 1024).toBeLessThan(200);
  });

  test('it gets a context with its name, memory and remaining time', async () => {
    const { body } = await ask('tell the context', {}, '/v1/hasty');
    expect(body).toMatchObject({
      functionName: expect.stringMatching(/^Hasty/),
      functionVersion: '$LATEST',
      memoryLimitInMB: '128',
      invokedFunctionArn: expect.stringMatching(
        /^arn:aws:lambda:us-east-1:000000000000:function:Hasty/,
      ),
      awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(body.remaining).toBeGreaterThan(0);
    expect(body.remaining).toBeLessThanOrEqual(1000);
  });
});

describe('log lines are as Lambda writes them', () => {
  test('console and platform lines are JSON', async () => {
    const start = fixture.log.length;
    await ask('log');
    const lines = entries(loggedSince(start));
    const requestId = lines[0].record.requestId;
    const platform = (type: string, record: object) => ({
      time: expect.any(String),
      type: `platform.${type}`,
      record: { requestId, ...record },
    });
    const line = (level: string, message: unknown, more: object = {}) => ({
      timestamp: expect.any(String),
      level,
      requestId,
      message,
      ...more,
    });
    const error = (errorMessage: string) => ({
      errorType: 'RangeError',
      errorMessage,
      stackTrace: expect.any(Array),
    });
    expect(lines).toEqual([
      platform('start', { version: '$LATEST' }),
      line('INFO', 'a text'),
      line('INFO', { code: 'CODE' }),
      line('ERROR', expect.stringMatching(/^went wrong: RangeError: so far/), error('so far')),
      line('ERROR', error('alone')),
      line('WARN', '{ big: 1n }'),
      platform('report', { metrics: expect.any(Object), status: 'success' }),
    ]);
  });

  test('text that a function writes to stdout is passed on', async () => {
    const start = fixture.log.length;
    await ask('log');
    await ask('exits with 0');
    expect(loggedSince(start)).toContain('raw');
  });
});

describe('functions under load', () => {
  const waiting = gate();

  test('invocations up to the limit run at once, each in its own environment', async () => {
    const url = await waiting.url;
    const answers = Array.from({ length: concurrency + 4 }, () =>
      ask('wait at a gate', { gate: url }),
    );
    await waiting.holds(concurrency);
    waiting.open();
    const environments = (await Promise.all(answers)).map(({ status, body }) => {
      expect(status).toBe(200);
      return body.environment;
    });
    expect(waiting.most()).toBe(concurrency);
    expect(new Set(environments).size).toBe(concurrency);
  });
});
