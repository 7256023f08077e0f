import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { authorizer, type Operation, operations } from '../../functions/shared/operations.ts';
import { functionVariables } from '../../lib/local/runtime/functions.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { lines } from '../support/captured-log.ts';
import { clock } from '../support/clock/clock.ts';
import { makeItem } from '../support/plant.ts';
import { operationEvent } from '../support/service/operation-event.ts';
import { lambdaContext, tokenEvent } from '../support/service/proxy-event.ts';

// The functions themselves, without a database. test/stack/bundles has their bundles.

interface LambdaFunction {
  handler(event: object, context: object): Promise<object>;
  warmUp(): Promise<unknown>;
}

Object.assign(process.env, functionVariables('http://127.0.0.1:9'));
const load = (entry: string): Promise<LambdaFunction> => import(`../../functions/${entry}.ts`);

/** The results of warm-ups. By default, there is one. */
const warmedUp: Partial<Record<string, unknown>> = {
  createPlant: 'created',
  listPlants: [expect.objectContaining({ id: 0n })],
  deletePlant: true,
  authorizer: { owner: '-', scopes: ['plants:read'], expires: 0 },
};
test.each(Object.entries({ ...operations, authorizer }))(
  '%s warms up with one command, and parses its response',
  async (name, { entry }) => {
    const { warmUp } = await load(entry);
    const send = jest.spyOn(DynamoDBDocumentClient.prototype, 'send');
    expect(await warmUp()).toEqual(warmedUp[name] ?? expect.anything());
    expect(send).toHaveBeenCalledTimes(1);
  },
);

const item = unmarshall(makeItem('alice', 7n), { wrapNumbers: true });
test.each(Object.entries(operations))(
  '%s succeeds, and passes its abort signal to the database',
  async (name, { entry, successes }) => {
    const { handler } = await load(entry);
    const send = jest.spyOn(DynamoDBDocumentClient.prototype, 'send');
    send.mockResolvedValue({ Attributes: item, Items: [item] } as never);
    const result = await handler(operationEvent(name as Operation), lambdaContext());
    const code = Object(successes)[Object(result).statusCode];
    expect(lines).toMatchObject([{ code }]);
    expect(send.mock.lastCall?.[1]).toEqual({ abortSignal: expect.any(AbortSignal) });
  },
);

/** On a custom domain, an API can have another path than its stage. */
const path = '/mapping/plants';
const link = '</mapping/plants?limit=1&cursor=1AAAAAAAAAAc>; rel="next"';
test.each<{ name: Operation; changes?: object; headers: object }>([
  { name: 'createPlant', headers: { Location: '/mapping/plants/7' } },
  { name: 'listPlants', changes: { query: { limit: ['1'] } }, headers: { Link: link } },
])('references in a response of $name start with the path of the request', async (row) => {
  const { handler } = await load(operations[row.name].entry);
  const send = jest.spyOn(DynamoDBDocumentClient.prototype, 'send');
  send.mockResolvedValue({ Items: [item, item] } as never);
  const event = operationEvent(row.name, { path, ...row.changes });
  expect(await handler(event, lambdaContext())).toMatchObject({ headers: row.headers });
});

test('the authorizer gives up half a second before its function ends', async () => {
  const { handler } = await load('authorize');
  const calls = jest.spyOn(DynamoDBDocumentClient.prototype, 'send');
  // A database that never responds.
  calls.mockReturnValue(new Promise(() => {}) as never);
  const ended = handler(tokenEvent(`Bearer ${forge()}`), lambdaContext());
  const failed = jest.fn();
  ended.catch(failed);
  await clock.advance(9499);
  expect(failed).not.toHaveBeenCalled();
  await clock.advance(1);
  await expect(ended).rejects.toThrow('The access token could not be checked.');
  expect(lines).toMatchObject([{ code: 'AUTHORIZER_FAILED' }]);
  const [, options] = calls.mock.lastCall ?? [];
  expect(Object(options).abortSignal.aborted).toBe(true);
});
