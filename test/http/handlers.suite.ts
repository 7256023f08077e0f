import { Socket } from 'node:net';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, jest, test } from '@jest/globals';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { digestToken } from '../../functions/access-tokens/token.ts';
import { authorizer, type Operation, operations } from '../../functions/shared/operations.ts';
import { functionVariables } from '../../lib/local/runtime/functions.ts';
import { makeToken } from '../../lib/tokens/make-token.ts';
import { lines } from '../support/captured-log.ts';
import { clock } from '../support/clock/clock.ts';
import { serve } from '../support/http/servers.ts';
import { makeItem } from '../support/plant.ts';
import { operationEvent } from '../support/service/operation-event.ts';
import { lambdaContext, tokenEvent } from '../support/service/proxy-event.ts';

// The functions themselves, with their warm-ups. test/stack/bundles has their bundles.

interface LambdaFunction {
  handler(event: object, context: object): Promise<object>;
  warmUp(): Promise<unknown>;
}

const { id: tokenId, token } = makeToken();
const record = {
  id: { S: tokenId },
  digest: { B: digestToken(token).toString('base64') },
  owner: { S: 'alice' },
  scopes: { L: [{ S: 'plants:read' }] },
  label: { S: '' },
  created: { N: '1600000000' },
};
const item = makeItem('alice', 7n);

let found: object = item;
const received: string[] = [];
const endpoint = await serve((request, response) => {
  const [, command = ''] = `${request.headers['x-amz-target']}`.split('.');
  received.push(command);
  response.setHeader('Content-Type', 'application/x-amz-json-1.0');
  const body = JSON.stringify({ Attributes: found, Item: found, Items: [found, found] });
  request.resume().on('end', () => response.end(body));
});
beforeEach(() => {
  Object.assign(process.env, functionVariables(endpoint));
  received.length = 0;
});

const authorize = tokenEvent(`Bearer ${token}`);

interface Case {
  /** The result of its warm-up. By default, there is one. */
  warmedUp?: unknown;
  event: object;
  /** The command that it sends. */
  sent: string;
  /** The code that it logs. */
  code: string;
  /** A part of its result. */
  result: object;
}

/** On a custom domain, an API can have another path than its stage. */
const path = '/mapping/plants';
const known: Partial<Record<Operation, Partial<Case>>> = {
  createPlant: {
    warmedUp: 'created',
    event: operationEvent('createPlant', { path }),
    code: 'PLANT_CREATED',
    result: { statusCode: 201, headers: { Location: '/mapping/plants/7' } },
  },
  listPlants: {
    warmedUp: [expect.objectContaining({ id: 0n })],
    event: operationEvent('listPlants', { path, query: { limit: ['1'] } }),
    result: {
      statusCode: 200,
      headers: { Link: '</mapping/plants?limit=1&cursor=1AAAAAAAAAAc>; rel="next"' },
    },
  },
  deletePlant: { warmedUp: true },
};

/** Returns the case of an operation. By default, its event returns its success. */
function makeCase(name: Operation): Case {
  const { successes, tables } = operations[name];
  const [[status, code] = []] = Object.entries<string>(successes);
  return {
    event: operationEvent(name),
    sent: tables.plants[0],
    code: `${code}`,
    result: { statusCode: Number(status) },
    ...known[name],
  };
}

const ofOperations = Object.keys(operations).map((name) => [name, makeCase(name as Operation)]);
const cases: Record<Operation | 'authorizer', Case> = {
  ...Object.fromEntries(ofOperations),
  authorizer: {
    warmedUp: { owner: '-', scopes: ['plants:read'], expires: 0 },
    event: authorize,
    sent: 'GetItem',
    code: 'TOKEN_ACCEPTED',
    result: { principalId: 'alice' },
  },
};

test.each(Object.entries({ ...operations, authorizer }))(
  '%s warms up in memory, logs nothing, and serves after it',
  async (name, { entry }) => {
    const {
      warmedUp = expect.anything(),
      event,
      sent,
      code,
      result,
    } = cases[name as keyof typeof cases];
    const { handler, warmUp }: LambdaFunction = await import(`../../functions/${entry}.ts`);
    found = entry === 'authorize' ? record : item;
    const connections = jest.spyOn(Socket.prototype, 'connect');
    const calls = jest.spyOn(DynamoDBDocumentClient.prototype, 'send');
    expect(await warmUp()).toEqual(warmedUp);
    expect({ calls: calls.mock.calls.length, lines }).toEqual({ calls: 1, lines: [] });
    expect(connections).not.toHaveBeenCalled();

    expect(await handler(event, lambdaContext())).toMatchObject(result);
    expect(received).toEqual([sent]);
    expect(lines).toMatchObject([{ code }]);
    // If this is red, a function does not pass its `abortSignal` to the database.
    expect(Object(calls.mock.lastCall?.[1]).abortSignal).toBeInstanceOf(AbortSignal);
  },
);

const expires = '2027-02-26T14:00:00Z';
test.each(Object.entries(operations))(
  '%s announces the end of a token, and none for a policy of version 1.0.0',
  async (name, { entry }) => {
    const { event } = cases[name as Operation];
    const { handler }: LambdaFunction = await import(`../../functions/${entry}.ts`);
    found = item;
    const callAs = async (authorizer: object) => {
      const { requestContext } = event as APIGatewayProxyEvent;
      const result = await handler(
        { ...event, requestContext: { ...requestContext, authorizer } },
        lambdaContext(),
      );
      expect(result).toMatchObject(cases[name as Operation].result);
      return (result as APIGatewayProxyResult).headers?.['Access-Token-Expires'];
    };
    const ofVersion1 = { owner: 'alice', tokenId, principalId: 'alice' };
    expect(await callAs(ofVersion1)).toBeUndefined();
    expect(await callAs({ ...ofVersion1, expires })).toBe(expires);
  },
);

test('the authorizer gives up half a second before its function ends', async () => {
  const { handler }: LambdaFunction = await import('../../functions/authorize.ts');
  const calls = jest.spyOn(DynamoDBDocumentClient.prototype, 'send');
  // A database that never responds.
  calls.mockImplementationOnce(() => new Promise(() => {}));
  const ended = handler(authorize, lambdaContext());
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
