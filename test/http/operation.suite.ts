import { expect, jest, test } from '@jest/globals';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { connect } from '../../functions/dynamodb/client.ts';
import { operation, type Reply, type RequestContext } from '../../functions/http/operation.ts';
import { Problem } from '../../functions/http/problem.ts';
import { plantStore } from '../../functions/plants/store.ts';
import { functionVariables } from '../../lib/local/runtime/functions.ts';
import { lines } from '../support/captured-log.ts';
import { clock } from '../support/clock/clock.ts';
import { serve } from '../support/http/servers.ts';
import { lambdaContext, proxyEvent } from '../support/service/proxy-event.ts';

const done: Reply = { code: 'PLANTS_LISTED', status: 200, body: [] };

async function runOperation(
  run: (context: RequestContext) => Promise<Reply>,
  event: APIGatewayProxyEvent = proxyEvent(),
  remainingMs?: number,
) {
  const handler = operation({}, (_, context) => run(context));
  const result: unknown = await handler(event, lambdaContext(remainingMs));
  const { body, ...others } = result as APIGatewayProxyResult;
  return { ...others, body: body && JSON.parse(body) };
}
const runWithError = (error: unknown) => runOperation(() => Promise.reject(error));

test('a reply becomes a response with the common headers, and one log line', async () => {
  const now = jest.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000);
  const run = async (): Promise<Reply> => {
    now.mockReturnValue(1_700_000_000_250);
    return { code: 'PLANT_CREATED', status: 201, headers: { Location: '/x' }, body: { name: 'é' } };
  };
  expect({ result: await runOperation(run), lines }).toMatchSnapshot();
});

test('a reply without a body has no content type', async () => {
  const result = await runOperation(async () => ({ code: 'PLANT_DELETED', status: 204 }));
  expect(result.headers).not.toHaveProperty('Content-Type');
  expect(result).toMatchSnapshot();
});

test('a problem becomes problem details, and a log line without a cause', async () => {
  jest.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000);
  const errors = [{ pointer: '/name', detail: 'is required' }];
  const result = await runWithError(new Problem('invalid-request', errors));
  expect({ result, lines }).toMatchSnapshot();
});

test('an unexpected error is logged with its causes, and the response contains none', async () => {
  const cause = Object.assign(new Error('inner secret'), { code: 'EINNER' });
  const more = { name: 'OddError', $metadata: { requestId: 'database-1' } };
  const result = await runWithError(Object.assign(new Error('outer secret', { cause }), more));
  expect(result).toMatchObject({
    statusCode: 500,
    body: { type: 'urn:problem-type:plant-store:internal-error', instance: 'request-1' },
  });
  expect(Object.keys(result.body)).toEqual(['type', 'title', 'status', 'detail', 'instance']);
  expect(JSON.stringify(result)).not.toMatch(/secret|Odd|EINNER|database/);
  expect(lines).toEqual([
    expect.objectContaining({
      code: 'REQUEST_FAILED',
      requestId: 'request-1',
      cause: {
        ...more,
        message: 'outer secret',
        stack: expect.stringContaining('operation.suite.ts'),
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

test.each([
  ['a text', 'a text'],
  [
    { package: 'x', limit: 7 },
    { package: 'x', limit: 7 },
  ],
  [null, 'null'],
])('%j, thrown instead of an error, is logged as %j', async (thrown, logged) => {
  await runWithError(thrown);
  expect(lines).toMatchObject([{ code: 'REQUEST_FAILED', cause: logged }]);
});

test('a cycle of causes ends where it began', async () => {
  const outer = new Error('outer');
  outer.cause = new TypeError('inner', { cause: outer });
  await runWithError(outer);
  const inner = { name: 'TypeError', message: 'inner', cause: 'the Error above' };
  expect(lines).toMatchObject([{ cause: { message: 'outer', cause: inner } }]);
});

// The suite of faults has more errors of the database.
test.each([{ code: 'ENOTFOUND' }, { $metadata: { httpStatusCode: 501 } }])(
  'an error of the database returns 503: %j',
  async (members) => {
    const result = await runWithError(Object.assign(new Error('x'), members));
    expect(result).toMatchObject({ statusCode: 503, body: { status: 503 } });
    expect(lines).toMatchObject([{ code: 'DATABASE_UNAVAILABLE', cause: members }]);
  },
);

test('an operation is aborted five seconds before the function ends', async () => {
  const signals: AbortSignal[] = [];
  const forever = ({ abortSignal }: RequestContext) =>
    new Promise<Reply>(() => signals.push(abortSignal));
  const ending = runOperation(forever, proxyEvent(), 10_000);
  await clock.advance(4999);
  expect(signals).toEqual([expect.objectContaining({ aborted: false })]);
  await clock.advance(1);
  const result = await ending;
  expect(result).toMatchObject({ statusCode: 503 });
  expect(result.headers).not.toHaveProperty('Retry-After');
  expect(signals).toEqual([expect.objectContaining({ aborted: true })]);
  const message = 'The operation did not end within 5 s.';
  expect(lines).toMatchObject([
    { code: 'DATABASE_UNAVAILABLE', cause: { message, cause: undefined } },
  ]);
});

test('an operation that is aborted logs the command that it was waiting for', async () => {
  const endpoint = await serve((request) => request.resume().on('end', () => clock.advance(200)));
  Object.assign(process.env, functionVariables(endpoint));
  const database = connect();
  const plants = plantStore(database, 'Plants');
  const remove = async (context: RequestContext) => {
    await plants.remove(context.owner, 7n, context);
    return done;
  };
  expect(await runOperation(remove, proxyEvent(), 5200)).toMatchObject({ statusCode: 503 });
  database.destroy();
  const cause = { name: 'AbortError', message: 'DeleteItem was aborted.' };
  const message = 'The operation did not end within 5 s.';
  expect(lines).toMatchObject([{ code: 'DATABASE_UNAVAILABLE', cause: { message, cause } }]);
});

test('responses name the origin whose pages may call, and expose their headers to it', async () => {
  process.env.CORS_ORIGIN = 'https://plants.example';
  const shared = {
    'Access-Control-Allow-Origin': 'https://plants.example',
    'Access-Control-Expose-Headers':
      'Link, Location, Retry-After, X-Request-Id, Access-Token-Expires',
  };
  expect((await runOperation(async () => done)).headers).toMatchObject(shared);
  expect((await runWithError(new Problem('plant-exists'))).headers).toMatchObject(shared);
  delete process.env.CORS_ORIGIN;
});

const expires = '2027-02-26T14:00:00Z';
test('an error too says when the access token ends', async () => {
  const run = () => Promise.reject(new Error('x'));
  const event = proxyEvent({ authorizer: { owner: 'alice', expires } });
  expect((await runOperation(run, event)).headers).toHaveProperty('Access-Token-Expires', expires);
});

// Version 1.0.0 sent no end. API Gateway makes text of numbers.
test.each([undefined, null, '', '1803650400', `${expires}\r\nX: y`, 1_803_650_400, [expires]])(
  'an event whose token ends at %j gets no header and no error',
  async (end) => {
    const event = proxyEvent({ authorizer: { owner: 'alice', expires: end } });
    const { statusCode, headers } = await runOperation(async () => done, event);
    expect(statusCode).toBe(200);
    expect(headers).not.toHaveProperty('Access-Token-Expires');
  },
);

test.each([null, {}, { owner: '' }, { owner: 7 }, { owner: { alice: true } }])(
  'an event whose authorizer returned %j returns 500',
  async (authorizer) => {
    const run = jest.fn(async () => done);
    expect(await runOperation(run, proxyEvent({ authorizer }))).toMatchObject({ statusCode: 500 });
    expect(run).not.toHaveBeenCalled();
    const cause = { message: 'The event has no owner.' };
    expect(lines).toMatchObject([{ code: 'REQUEST_FAILED', cause }]);
  },
);

test.each<[id: string, given: object]>([
  ['request-1', {}],
  ['chosen', { extendedRequestId: undefined }],
  ['', { extendedRequestId: [{}] }],
])('the request id is %j if the gateway sends %j', async (id, given) => {
  const event = proxyEvent();
  Object.assign(event.requestContext, given);
  const { headers } = await runOperation(async () => done, event);
  expect(headers).toMatchObject({ 'X-Request-Id': id });
  expect(lines).toMatchObject([{ requestId: id }]);
});

test.each([
  ['/v1/plants', '/v1/plants'],
  ['/a/b/plants//', '/a/b/plants'],
  ['//plants', '/plants'],
])('references in the response to %s start with %s', async (path, start) => {
  const run = jest.fn(async (_: RequestContext) => done);
  await runOperation(run, proxyEvent({ path }));
  expect(run).toHaveBeenCalledWith(expect.objectContaining({ owner: 'alice', requestPath: start }));
});
