import { afterEach, expect, jest, test } from '@jest/globals';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import * as v from 'valibot';
import type { Reply } from '../../functions/http/answer.ts';
import { type Caller, operation } from '../../functions/http/operation.ts';
import { Problem } from '../../functions/http/problem.ts';
import { capturedLog } from '../support/captured-log.ts';
import { lambdaContext, proxyEvent } from '../support/service/proxy-event.ts';

const common = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': 'request-1',
};
const done: Reply = { code: 'PLANTS_LISTED', status: 200, body: [] };

const lines = capturedLog();
afterEach(() => {
  delete process.env.CORS_ORIGIN;
});

async function answerOf(
  run: (caller: Caller) => Promise<Reply>,
  event: APIGatewayProxyEvent = proxyEvent(),
  remainingMs?: number,
) {
  const handler = operation(v.object({}), (_, caller) => run(caller));
  const answer: unknown = await handler(event, lambdaContext(remainingMs));
  const { body, ...response } = answer as APIGatewayProxyResult;
  return { ...response, body: body && JSON.parse(body) };
}
const failing = (error: unknown) => answerOf(() => Promise.reject(error));
async function expectNothingDone(event: APIGatewayProxyEvent) {
  const run = jest.fn(async () => done);
  expect(await answerOf(run, event)).toMatchObject({ statusCode: 500 });
  expect(run).not.toHaveBeenCalled();
}

test('a reply becomes a response with the common headers, and one log line', async () => {
  const told = { code: 'PLANT_CREATED', status: 201 } as const;
  const [headers, body] = [{ Location: '/x' }, { name: 'é' }];
  expect(await answerOf(async () => ({ ...told, headers, body }))).toEqual({
    statusCode: 201,
    headers: { ...common, 'Content-Type': 'application/json', ...headers },
    body,
  });
  expect(lines).toEqual([
    { ...told, requestId: 'request-1', owner: 'alice', durationMs: expect.any(Number) },
  ]);
  const [{ durationMs }] = lines as [{ durationMs: number }];
  expect(durationMs).toBeLessThan(10_000);
});

test('a reply without a body has no content type', async () => {
  const answer = await answerOf(async () => ({ code: 'PLANT_DELETED', status: 204 }));
  expect(answer).toEqual({ statusCode: 204, headers: common, body: '' });
});

test('a problem is answered with problem details and logged without a cause', async () => {
  const errors = [{ pointer: '/name', detail: 'is required' }];
  expect(await failing(new Problem('invalid-request', errors))).toEqual({
    statusCode: 400,
    headers: { ...common, 'Content-Type': 'application/problem+json' },
    body: {
      type: 'urn:problem-type:plant-store:invalid-request',
      title: 'Invalid request',
      status: 400,
      detail: expect.any(String),
      instance: 'request-1',
      errors,
    },
  });
  expect(lines).toEqual([
    expect.objectContaining({ code: 'REQUEST_REFUSED', status: 400, problem: 'invalid-request' }),
  ]);
});

test('an unexpected error is logged with its causes, and the answer tells none', async () => {
  const cause = Object.assign(new Error('inner secret'), { code: 'EINNER' });
  const more = { name: 'OddError', $metadata: { requestId: 'database-1' } };
  const answer = await failing(Object.assign(new Error('outer secret', { cause }), more));
  expect(answer).toMatchObject({
    statusCode: 500,
    body: { type: 'urn:problem-type:plant-store:internal-error', instance: 'request-1' },
  });
  expect(Object.keys(answer.body)).toEqual(['type', 'title', 'status', 'detail', 'instance']);
  expect(JSON.stringify(answer)).not.toMatch(/secret|Odd|EINNER|database/);
  expect(lines).toEqual([
    expect.objectContaining({
      code: 'REQUEST_FAILED',
      requestId: 'request-1',
      cause: {
        ...more,
        message: 'outer secret',
        stack: expect.stringContaining('operation.test.ts'),
        cause: {
          name: 'Error',
          message: 'inner secret',
          stack: expect.any(String),
          code: 'EINNER',
        },
      },
    }),
  ]);
});

const sdkError = (name: string, httpStatusCode?: number, more: object = {}) =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode }, ...more });

test.each([
  sdkError('ThrottlingException', 400),
  sdkError('ProvisionedThroughputExceededException', 400),
  sdkError('RequestLimitExceeded', 400),
  sdkError('InternalServerError', 500),
  sdkError('Unknown', 501),
  sdkError('ServiceUnavailable', 503),
  sdkError('TimeoutError'),
  sdkError('Error', undefined, { code: 'ECONNREFUSED' }),
  sdkError('Error', undefined, { code: 'ENOTFOUND' }),
])('a database that fails with %s is answered with 503', async (error) => {
  expect(await failing(error)).toMatchObject({
    statusCode: 503,
    headers: { 'Retry-After': '1' },
    body: { status: 503 },
  });
  expect(lines).toMatchObject([{ code: 'DATABASE_UNAVAILABLE', cause: { name: error.name } }]);
});

test.each([
  sdkError('AccessDeniedException', 400),
  sdkError('ResourceNotFoundException', 400),
  sdkError('ValidationException', 400),
  new TypeError('x'),
])('%s is answered with 500', async (error) => {
  expect(await failing(error)).toMatchObject({ statusCode: 500, body: { status: 500 } });
});

test('an operation is aborted and answered five seconds before the function ends', async () => {
  const signals: AbortSignal[] = [];
  const forever = ({ signal }: Caller) => new Promise<Reply>(() => signals.push(signal));
  const startedAt = performance.now();
  const answer = await answerOf(forever, proxyEvent(), 5100);
  expect(answer).toMatchObject({ statusCode: 503, headers: { 'Retry-After': '1' } });
  // A timer may fire a millisecond early.
  const ms = performance.now() - startedAt;
  expect([ms > 98, ms < 4000]).toEqual([true, true]);
  expect(signals).toEqual([expect.objectContaining({ aborted: true })]);
});

test.each([null, 7, ['/v1/plants']])('an event whose path is %j is answered with 500', (path) =>
  expectNothingDone(proxyEvent({ path } as never)),
);

const authorizers = [
  null,
  ...[undefined, '', 7, null, { alice: true }].map((owner) => ({ owner })),
];
test.each(authorizers)('an event whose authorizer says %j gets 500', async (authorizer) => {
  await expectNothingDone(proxyEvent({ authorizer }));
  const cause = expect.objectContaining({ message: 'The event has no owner.' });
  expect(lines).toEqual([expect.objectContaining({ code: 'REQUEST_FAILED', cause })]);
});

test('what is thrown without being an error is logged as text', async () => {
  await failing('a text');
  expect(lines).toEqual([expect.objectContaining({ cause: 'a text' })]);
});

test('a client cannot choose the request id, except where the gateway has no other', async () => {
  const event = proxyEvent();
  expect((await answerOf(async () => done, event)).headers).toMatchObject(common);
  delete event.requestContext.extendedRequestId;
  const chosen = { 'X-Request-Id': 'chosen' };
  expect((await answerOf(async () => done, event)).headers).toMatchObject(chosen);
  expect(lines).toMatchObject([{ requestId: 'request-1' }, { requestId: 'chosen' }]);
});

test('a request id that is no text, as no gateway sends, is left out of the answer', async () => {
  const event = proxyEvent();
  Object.assign(event.requestContext, { extendedRequestId: [{}] });
  const { headers } = await answerOf(async () => done, event);
  expect(headers).toMatchObject({ 'X-Request-Id': '' });
});

test.each([
  ['/v1/plants', '/v1/plants'],
  ['/v1/plants/', '/v1/plants'],
  ['/plants', '/plants'],
  ['/a/b/plants//', '/a/b/plants'],
  ['//plants', '/plants'],
])('references in the answer to %s start with %s', async (path, start) => {
  const run = jest.fn(async (_: Caller) => done);
  await answerOf(run, proxyEvent({ path }));
  expect(run).toHaveBeenCalledWith(expect.objectContaining({ owner: 'alice', requestPath: start }));
});

test('with CORS on, every answer names the origin and exposes the headers for pages', async () => {
  process.env.CORS_ORIGIN = 'https://example.com';
  const headersWith = (type: string) => ({
    ...common,
    'Access-Control-Allow-Origin': 'https://example.com',
    'Access-Control-Expose-Headers': 'Link, Location, Retry-After, X-Request-Id',
    'Content-Type': type,
  });
  expect((await answerOf(async () => done)).headers).toEqual(headersWith('application/json'));
  const { headers } = await failing(new Error());
  expect(headers).toEqual(headersWith('application/problem+json'));
});
