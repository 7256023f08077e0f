import type { Socket } from 'node:net';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import type { Plant } from '../../../functions/plants/plant.ts';
import { operations } from '../../../functions/shared/operations.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import {
  type Exchange,
  type Fault,
  fail,
  loseResponse,
  pass,
  throttle,
} from '../../support/database/proxy.ts';
import { makePlant } from '../../support/plant.ts';
import { type FunctionName, functionNames, usedActions } from './actions.ts';
import { accessDenied, type Case, ofEveryFunction } from './every-function.ts';
import { database, handshakes, invoke, makeEvent, printed, proxy } from './functions.ts';
import { clock } from './slow-faults.ts';

// Between the functions and a real engine stands a proxy with faults.

const TableName = tableIds.plants;
/** Stores a plant as another call does. */
function put(owner: string, name: string) {
  const Item = { owner, ...makePlant(7n, name), nonce: Buffer.alloc(8) };
  return database.send(new PutCommand({ TableName, Item }));
}

const askForAMinute = fail(400, 'ThrottlingException', { 'x-amz-retry-after': '60000' });
const throttleForAMinute: Fault = async (exchange) => {
  askForAMinute(exchange);
  await clock.advance(5000);
};

const ofOneFunction: Case[] = [
  {
    title: 'a create that DynamoDB asks to wait for a minute ends in time',
    call: 'createPlant',
    faults: [throttleForAMinute],
    outcome: { status: 503, left: null, sent: ['PutItem'] },
  },
  {
    title: 'a create that was throttled reads its plant after a lost response',
    call: 'createPlant',
    faults: [throttle, loseResponse, pass],
    outcome: { status: 201, left: 'Monstera', sent: ['PutItem', 'PutItem', 'GetItem'] },
  },
  {
    title: 'a create whose response is lost reports no conflict',
    call: 'createPlant',
    stored: 'Ficus',
    faults: [loseResponse, pass],
    outcome: { status: 503, left: 'Ficus', sent: ['PutItem', 'GetItem'] },
  },
  {
    title: 'a create whose response is lost and that may not read is unavailable',
    call: 'createPlant',
    faults: [loseResponse, accessDenied],
    outcome: { status: 503, left: 'Monstera', sent: ['PutItem', 'GetItem'] },
    log: {
      cause: {
        name: 'UnknownOutcome',
        cause: { code: 'ECONNRESET' },
        readError: { name: 'AccessDeniedException' },
      },
    },
  },
  {
    title: 'a create of an equal plant sends one request',
    call: 'createPlant',
    stored: 'Monstera',
    outcome: { status: 200, left: 'Monstera', sent: ['PutItem'] },
  },
  {
    title: 'a create whose obstacle is not returned fails',
    call: 'createPlant',
    stored: 'Monstera',
    faults: [fail(400, 'ConditionalCheckFailedException')],
    outcome: { status: 500, left: 'Monstera', sent: ['PutItem'] },
    log: {
      cause: { message: 'The database did not return the item that made a condition fail.' },
    },
  },
];

const throttlingReasons = [
  { reason: 'TableReadKeyRangeThroughputExceeded', resource: 'arn:aws:table' },
];
// The SDK's classes spell the member differently.
const ofLimits: Case[] = [
  { name: 'ThrottlingException', member: 'throttlingReasons' },
  { name: 'RequestLimitExceeded', member: 'ThrottlingReasons' },
].map(({ name, member }) => ({
  title: `the log of a ${name} has the limit that was exceeded`,
  call: 'listPlants',
  faults: [fail(400, name, {}, 'Throughput exceeds the limit', { [member]: throttlingReasons })],
  outcome: { status: 503, left: null, sent: ['Query', 'Query', 'Query'] },
  log: { cause: { name, throttlingReasons } },
}));

/** Returns the code of the log line. test/stack has the codes of successes as literals. */
function findCode(call: FunctionName, status: number): string {
  if (call === 'authorizer') {
    return status === 200 ? 'TOKEN_ACCEPTED' : 'AUTHORIZER_FAILED';
  }
  const error = status === 503 ? 'DATABASE_UNAVAILABLE' : 'REQUEST_FAILED';
  const successes: Record<number, string> = operations[call].successes;
  return successes[status] ?? error;
}

/** Freezes the function after another call. Calls it while the database acts on the connection. */
async function thawWith(act: NonNullable<Case['whileFrozen']>, call: FunctionName, event: object) {
  const subject = 'before000000';
  const { promise: responded, resolve } = Promise.withResolvers<[Socket, Socket]>();
  proxy.play(subject, async (exchange) => {
    const { response, socket } = exchange;
    const connection = response.socket as Socket;
    await pass(exchange);
    resolve([connection, socket]);
  });
  await invoke(call, await makeEvent(call, subject));
  const sockets = await responded;
  const thaw = await clock.freeze();
  const ended = invoke(call, event);
  await act(...sockets);
  thaw();
  return ended;
}

const all = [...ofEveryFunction, ...ofOneFunction, ...ofLimits];
let subjects = 0;
test.each(all)('$title', async (one) => {
  subjects += 1;
  /** The owner, or the token's id. */
  const subject = `case${`${subjects}`.padStart(8, '0')}`;
  if (one.stored !== undefined) {
    await put(subject, one.stored);
  }
  const event = await makeEvent(one.call, subject);
  const exchanges: Exchange[] = [];
  const played: unknown[] = [];
  const playing = (fault: Fault) => (exchange: Exchange) => {
    exchanges.push(exchange);
    played.push(fault(exchange));
  };
  proxy.play(subject, ...(one.faults ?? [pass]).map(playing));
  // As on AWS, unless handshakes fail: then a call before leaves no connection.
  proxy.keepConnections(!one.handshakes);
  if (one.handshakes) {
    await invoke(one.call, await makeEvent(one.call, 'before000000'));
    handshakes.push(...one.handshakes);
  }
  const { status, body, log } = one.whileFrozen
    ? await thawWith(one.whileFrozen, one.call, event)
    : await invoke(one.call, event);
  // A fault may still advance the clock, which the next call uses too.
  await Promise.all(played);

  const Key = { owner: subject, id: 7 };
  const { Item } = await database.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  const left = (Item as Plant | undefined)?.name ?? null;
  const sent = proxy.seen(subject);
  expect({ status, left, sent }).toEqual(one.outcome);
  expect(handshakes).toEqual([]);
  const accesses = exchanges.map(({ access }) => access);
  expect(accesses).toEqual(sent.map((command) => `${usedActions[one.call].table} ${command}`));
  expect(body).not.toContain('secret');
  const lines = log.map((line) => JSON.parse(line));
  expect(lines).toMatchObject([{ code: findCode(one.call, status), ...one.log }]);
  expect(`${log}${printed}`).not.toMatch(/AWS4-HMAC|Signature=/);
});

test.each(functionNames)('in these cases, %s sends every command that its role allows', (name) => {
  const cases = all.filter(({ call }) => call === name);
  const sent = new Set(cases.flatMap(({ outcome }) => outcome.sent));
  expect([...sent].sort()).toEqual(usedActions[name].actions);
});

test('a database that refuses connections is unavailable to every function', async () => {
  const events = await Promise.all(functionNames.map((call) => makeEvent(call, 'nobody000000')));
  const responses = await proxy.refuseDuring(() =>
    Promise.all(functionNames.map((call, i) => invoke(call, events[i] ?? {}))),
  );
  expect(responses.map(({ status }) => status)).toEqual(functionNames.map(() => 503));
});
