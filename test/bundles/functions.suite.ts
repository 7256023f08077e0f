import { Socket } from 'node:net';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, jest, test } from '@jest/globals';
import { digestToken, makeToken } from '../../functions/access-tokens/token.ts';
import { connect } from '../../functions/dynamodb/client.ts';
import { warmUpClient } from '../../functions/dynamodb/warm-up.ts';
import { timeouts } from '../../functions/shared/timeouts.ts';
import { functionVariables } from '../../lib/offline/functions.ts';
import { entries, type FunctionId } from '../support/bundles.ts';
import { clock } from '../support/clock/clock.ts';
import { serve } from '../support/http/servers.ts';
import { proxyEvent, tokenEvent } from '../support/service/proxy-event.ts';

// The functions run here without bundles, so that mutation testing can change them in this process.

interface LambdaFunction {
  handler(event: object, context: object): Promise<object>;
  warmUp(): Promise<void>;
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

const item = { id: { N: '7' }, name: { S: 'Aloe' }, tag: { S: '' } };

let found: object = item;
const received: string[] = [];
let log: { code: string }[] = [];
const connections = jest.spyOn(Socket.prototype, 'connect');
const calls = jest.spyOn(DynamoDBDocumentClient.prototype, 'send');

beforeAll(async () => {
  const endpoint = await serve((request, response) => {
    const [, command = ''] = `${request.headers['x-amz-target']}`.split('.');
    received.push(command);
    response.setHeader('Content-Type', 'application/x-amz-json-1.0');
    const body = JSON.stringify({ Attributes: found, Item: found });
    request.resume().on('end', () => response.end(body));
  });
  Object.assign(process.env, functionVariables(endpoint));
  for (const level of ['info', 'warn', 'error'] as const) {
    console[level] = (line: { code: string }) => log.push(line);
  }
});

const authorize = tokenEvent(`Bearer ${token}`);
const context = { getRemainingTimeInMillis: () => timeouts.function };

/** For each function, an event, the command that it sends, and the code that it logs. */
const cases: Record<FunctionId, [event: object, sent: string, code: string]> = {
  CreatePlant: [proxyEvent({ body: '{"id":7,"name":"Aloe"}' }), 'PutItem', 'PLANT_CREATED'],
  ListPlants: [proxyEvent(), 'Query', 'PLANTS_LISTED'],
  DeletePlant: [proxyEvent({ pathParameters: { id: '7' } }), 'DeleteItem', 'PLANT_DELETED'],
  Authorizer: [authorize, 'GetItem', 'TOKEN_ACCEPTED'],
};

test.each(Object.keys(entries) as FunctionId[])(
  '%s warms up in memory, logs nothing, and serves after it',
  async (id) => {
    const entry = entries[id];
    const [event, sent, code] = cases[id];
    const { handler, warmUp }: LambdaFunction = await import(`../../functions/${entry}.ts`);
    found = entry === 'authorize' ? record : item;
    received.length = 0;
    log = [];
    connections.mockClear();
    calls.mockClear();
    await warmUp();
    expect({ calls: calls.mock.calls.length, log }).toEqual({ calls: 1, log: [] });
    expect(connections).not.toHaveBeenCalled();

    await handler(event, context);
    expect(received).toEqual([sent]);
    expect(log).toMatchObject([{ code }]);
    // If this is red, a function does not pass its `abortSignal` to the database.
    expect(Object(calls.mock.lastCall?.[1]).abortSignal).toBeInstanceOf(AbortSignal);
  },
);

test('the authorizer gives up half a second before its function ends', async () => {
  const { handler }: LambdaFunction = await import('../../functions/authorize.ts');
  log = [];
  // A database that never responds.
  calls.mockImplementationOnce(() => new Promise(() => {}));
  const ended = handler(authorize, context);
  const failed = jest.fn();
  ended.catch(failed);
  await clock.advance(9499);
  expect(failed).not.toHaveBeenCalled();
  await clock.advance(1);
  await expect(ended).rejects.toThrow('The access token could not be checked.');
  expect(log).toMatchObject([{ code: 'AUTHORIZER_FAILED' }]);
  const [, options] = calls.mock.lastCall ?? [];
  expect(Object(options).abortSignal.aborted).toBe(true);
});

test('a warm-up succeeds without an endpoint, as in AWS', async () => {
  const { AWS_ENDPOINT_URL_DYNAMODB: endpoint } = process.env;
  process.env.AWS_ENDPOINT_URL_DYNAMODB = '';
  const database = connect();
  log = [];
  const get = new GetCommand({ TableName: 'Any', Key: { id: 1n } });
  await warmUpClient(database, {}, () => database.send(get));
  process.env.AWS_ENDPOINT_URL_DYNAMODB = endpoint;
  expect(log).toEqual([]);
});

test('a warm-up that fails writes one log line, and later commands are sent', async () => {
  log = [];
  received.length = 0;
  const database = connect();
  await warmUpClient(database, {}, async () => {
    throw new TypeError('outer', { cause: new RangeError('inner') });
  });
  const inner = { name: 'RangeError', message: 'inner' };
  const cause = { name: 'TypeError', message: 'outer', cause: inner };
  expect(log).toMatchObject([{ code: 'WARM_UP_FAILED', cause }]);
  await database.send(new GetCommand({ TableName: 'Any', Key: { id: 1n } }));
  expect(received).toEqual(['GetItem']);
});
