import { expect, jest, test } from '@jest/globals';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { operation, type Reply, type RequestContext } from '../../functions/http/operation.ts';
import { Problem } from '../../functions/http/problem.ts';
import { lambdaContext, proxyEvent } from '../support/service/proxy-event.ts';
import { capturedLog } from './captured-log.ts';

const common = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=63072000',
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': 'request-1',
};
const done: Reply = { code: 'PLANTS_LISTED', status: 200, body: [] };

const lines = capturedLog();

async function answerOf(
  run: (context: RequestContext) => Promise<Reply>,
  event: APIGatewayProxyEvent = proxyEvent(),
  remainingMs?: number,
) {
  const handler = operation({}, (_, context) => run(context));
  const answer: unknown = await handler(event, lambdaContext(remainingMs));
  const { body, ...response } = answer as APIGatewayProxyResult;
  return { ...response, body: body && JSON.parse(body) };
}
const failing = (error: unknown) => answerOf(() => Promise.reject(error));

test('a reply becomes a response with the common headers, and one log line', async () => {
  const told = { code: 'PLANT_CREATED', status: 201 } as const;
  const headers = { Location: '/x' };
  const body = { name: 'é' };
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

// The faults of the database show the others.
test.each([
  [503, sdkError('ThrottlingException', 400)],
  [503, sdkError('TimeoutError')],
  [503, sdkError('Error', undefined, { code: 'ENOTFOUND' })],
  [503, sdkError('Unknown', 501)],
  [500, sdkError('ValidationException', 400)],
  [500, new TypeError('x')],
])('%i is the answer to %s', async (status, error) => {
  expect(await failing(error)).toMatchObject({ statusCode: status, body: { status } });
  const code = status === 503 ? 'DATABASE_UNAVAILABLE' : 'REQUEST_FAILED';
  expect(lines).toMatchObject([{ code, cause: { name: error.name } }]);
});

test('an operation is aborted and answered five seconds before the function ends', async () => {
  const signals: AbortSignal[] = [];
  const forever = ({ abortSignal }: RequestContext) =>
    new Promise<Reply>(() => signals.push(abortSignal));
  // However busy the machine is, timers that are set at once run in the order of their times.
  const passed: number[] = [];
  const timers = [50, 4000].map((ms) => setTimeout(() => passed.push(ms), ms));
  const answer = await answerOf(forever, proxyEvent(), 5100);
  expect(passed).toEqual([50]);
  for (const timer of timers) {
    clearTimeout(timer);
  }
  expect(answer).toMatchObject({ statusCode: 503, headers: { 'Retry-After': '1' } });
  expect(signals).toEqual([expect.objectContaining({ aborted: true })]);
});

const owners = [undefined, '', 7, null, { alice: true }];
test.each<object>([
  ...[null, 7, ['/v1/plants']].map((path) => ({ path })),
  ...[null, ...owners.map((owner) => ({ owner }))].map((authorizer) => ({ authorizer })),
])('an event without an owner or a path is answered with 500: %j', async (given) => {
  const run = jest.fn(async () => done);
  expect(await answerOf(run, proxyEvent(given))).toMatchObject({ statusCode: 500 });
  expect(run).not.toHaveBeenCalled();
  expect(lines).toMatchObject([{ code: 'REQUEST_FAILED' }]);
});

test('what is thrown without being an error is logged as text', async () => {
  await failing('a text');
  expect(lines).toEqual([expect.objectContaining({ cause: 'a text' })]);
});

test.each<[id: string, given: object]>([
  ['request-1', {}],
  ['chosen', { extendedRequestId: undefined }],
  ['', { extendedRequestId: [{}] }],
])('the request id is %j if the gateway gives %j', async (id, given) => {
  const event = proxyEvent();
  Object.assign(event.requestContext, given);
  const { headers } = await answerOf(async () => done, event);
  expect(headers).toEqual({ ...common, 'Content-Type': 'application/json', 'X-Request-Id': id });
  expect(lines).toMatchObject([{ requestId: id }]);
});

test.each([
  ['/v1/plants', '/v1/plants'],
  ['/a/b/plants//', '/a/b/plants'],
  ['//plants', '/plants'],
])('references in the answer to %s start with %s', async (path, start) => {
  const run = jest.fn(async (_: RequestContext) => done);
  await answerOf(run, proxyEvent({ path }));
  expect(run).toHaveBeenCalledWith(expect.objectContaining({ owner: 'alice', requestPath: start }));
});
