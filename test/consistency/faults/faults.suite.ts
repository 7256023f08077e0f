import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from '@jest/globals';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import {
  type Functions,
  functionVariables,
  startFunctions,
} from '../../../lib/offline/functions.ts';
import { finallyDo } from '../../support/cleanup.ts';
import {
  type Exchange,
  type Fault,
  type FaultProxy,
  fail,
  loseResponse,
  loseResponseAfter,
  pass,
  passAfter,
  reset,
  startFaultProxy,
  temporaryCredentials,
  throttle,
} from '../../support/database/proxy.ts';
import { usedActions } from './actions.ts';
import { database, endpoint, invoke, makeEvent, type Response } from './calls.ts';
import {
  accessDenied,
  type Case,
  calls,
  failing,
  ofEveryFunction,
  ofWrongClocks,
} from './every-function.ts';
import { clock } from './slow-faults.ts';

// Between the functions and a real engine stands a proxy with faults.

let proxy: FaultProxy;
let functions: Functions;
const printed: string[] = [];

beforeAll(async () => {
  proxy = await startFaultProxy();
  functions = startFunctions({
    variables: {
      ...functionVariables(proxy.before(endpoint)),
      ...temporaryCredentials,
      ...clock.variables,
    },
    onOutput: (text) => printed.push(text),
    onError: (error) => printed.push(`${error.stack}`),
  });
  finallyDo(functions.stop);
  await functions.loaded;
});

const makeKey = (owner: string) => ({ TableName: tableIds.plants, Key: { owner, id: 7 } });
/** Stores a plant as another call does. */
function put(owner: string, name: string) {
  const Item = { owner, id: 7, name, tag: '', nonce: Buffer.alloc(8) };
  return database.send(new PutCommand({ TableName: tableIds.plants, Item }));
}
const remove = (owner: string) => database.send(new DeleteCommand(makeKey(owner)));

const passOnceDeleted = passAfter(remove);
const passOnceStored = passAfter((owner) => put(owner, 'Ficus'));
const askForAMinute = fail(400, 'ThrottlingException', { 'x-amz-retry-after': '60000' });
const throttleForAMinute: Fault = async (exchange) => {
  askForAMinute(exchange);
  await clock.advance(5000);
};
const replaced = loseResponseAfter((owner) => put(owner, 'Ficus'));

const ofOneFunction: Case[] = [
  {
    title: 'a create that DynamoDB asks to wait for a minute ends in time',
    call: 'create',
    stored: null,
    faults: [throttleForAMinute],
    outcome: { status: 503, left: null, sent: ['PutItem'] },
  },
  {
    title: 'a create that was throttled reads its plant after a lost response',
    call: 'create',
    stored: null,
    faults: [throttle, loseResponse, pass],
    outcome: { status: 201, left: 'Aloe', sent: ['PutItem', 'PutItem', 'GetItem'] },
  },
  {
    title: 'a create reads its plant again if the first read is lost too',
    call: 'create',
    stored: null,
    faults: [loseResponse, reset, pass],
    outcome: { status: 201, left: 'Aloe', sent: ['PutItem', 'GetItem', 'GetItem'] },
  },
  {
    title: 'a create whose response is lost does not treat an equal plant as its own',
    call: 'create',
    stored: 'Aloe',
    faults: [loseResponse, pass],
    outcome: { status: 503, left: 'Aloe', sent: ['PutItem', 'GetItem'] },
  },
  {
    title: 'a create whose response is lost reports no conflict',
    call: 'create',
    stored: 'Ficus',
    faults: [loseResponse, pass],
    outcome: { status: 503, left: 'Ficus', sent: ['PutItem', 'GetItem'] },
  },
  {
    title: 'a create does not bring back its deleted plant',
    call: 'create',
    stored: null,
    faults: [loseResponseAfter(remove), pass],
    outcome: { status: 503, left: null, sent: ['PutItem', 'GetItem'] },
  },
  {
    title: 'a create leaves the plant that replaced its own',
    call: 'create',
    stored: null,
    faults: [replaced, pass],
    outcome: { status: 503, left: 'Ficus', sent: ['PutItem', 'GetItem'] },
  },
  {
    title: 'a create whose response is lost and that may not read is unavailable',
    call: 'create',
    stored: null,
    faults: [loseResponse, accessDenied],
    outcome: { status: 503, left: 'Aloe', sent: ['PutItem', 'GetItem'] },
  },
  {
    title: 'a create that cannot read its obstacle is unavailable',
    call: 'create',
    stored: 'Ficus',
    faults: [pass, failing],
    outcome: { status: 503, left: 'Ficus', sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'] },
  },
  {
    title: 'a create that may not read its obstacle fails',
    call: 'create',
    stored: 'Ficus',
    faults: [pass, accessDenied],
    outcome: { status: 500, left: 'Ficus', sent: ['PutItem', 'GetItem'] },
  },
  {
    title: 'a create whose obstacle is deleted stores its plant',
    call: 'create',
    stored: 'Ficus',
    faults: [pass, passOnceDeleted, pass],
    outcome: { status: 201, left: 'Aloe', sent: ['PutItem', 'GetItem', 'PutItem'] },
  },
  {
    title: 'a create whose obstacle comes and goes is unavailable',
    call: 'create',
    stored: 'Ficus',
    faults: [pass, passOnceDeleted, passOnceStored, passOnceDeleted],
    outcome: { status: 503, left: null, sent: ['PutItem', 'GetItem', 'PutItem', 'GetItem'] },
  },
  {
    title: 'a delete leaves the plant that was created after it',
    call: 'delete',
    stored: 'Aloe',
    faults: [replaced, pass],
    outcome: { status: 503, left: 'Ficus', sent: ['DeleteItem', 'GetItem'] },
  },
  {
    title: 'a delete whose response is lost and that may not read is unavailable',
    call: 'delete',
    stored: 'Aloe',
    faults: [loseResponse, accessDenied],
    outcome: { status: 503, left: null, sent: ['DeleteItem', 'GetItem'] },
  },
  {
    title: 'a delete of nothing whose response is lost returns success',
    call: 'delete',
    stored: null,
    faults: [loseResponse, pass],
    outcome: { status: 204, left: null, sent: ['DeleteItem', 'GetItem'] },
  },
];

const all = [...ofOneFunction, ...ofEveryFunction];

const reasons = [{ reason: 'TableReadKeyRangeThroughputExceeded', resource: 'arn:aws:table' }];
const limits = [
  { type: 'ThrottlingException', member: 'throttlingReasons' },
  { type: 'ProvisionedThroughputExceededException', member: 'ThrottlingReasons' },
  { type: 'RequestLimitExceeded', member: 'ThrottlingReasons' },
].map(({ type, member }) => ({
  type,
  call: 'list' as const,
  stored: null,
  faults: [fail(400, type, {}, 'Throughput exceeds the limit', { [member]: reasons })],
}));

type Play = Pick<Case, 'call' | 'stored' | 'faults'>;
interface Played extends Response {
  /** The owner, and the token's id. */
  subject: string;
  /** Its requests, in their order. */
  exchanges: Exchange[];
}

/** The table of each call's function. */
const tables = new Map(usedActions.map(({ call, table }) => [call, table]));

let subjects = 0;
async function play({ call, stored, faults }: Play): Promise<Played> {
  subjects += 1;
  const subject = `case${`${subjects}`.padStart(8, '0')}`;
  if (stored !== null) {
    await put(subject, stored);
  }
  const event = await makeEvent(call, subject);
  const exchanges: Exchange[] = [];
  const played: unknown[] = [];
  const playing = (fault: Fault) => (exchange: Exchange) => {
    exchanges.push(exchange);
    played.push(fault(exchange));
  };
  proxy.play(subject, ...faults.map(playing));
  const response = await invoke(functions, call, event);
  // A fault may still advance the clock, which the next call uses too.
  await Promise.all(played);
  return { subject, exchanges, ...response };
}

/** The code of the line that a failure logs. */
const codes: Record<string, string | undefined> = {
  'authorizer 503': 'AUTHORIZER_FAILED',
  'operation 503': 'DATABASE_UNAVAILABLE',
  'operation 500': 'REQUEST_FAILED',
};

// The wrong clocks come last, because a client keeps the difference.
test.each([...all, ...ofWrongClocks])('$title', async (one) => {
  const { subject, exchanges, status, body, log } = await play(one);
  const { Item } = await database.send(
    new GetCommand({ ...makeKey(subject), ConsistentRead: true }),
  );
  const sent = proxy.seen(subject);
  expect({ status, left: Item?.name ?? null, sent }).toEqual(one.outcome);
  const accesses = exchanges.map(({ access }) => access);
  expect(accesses).toEqual(sent.map((command) => `${tables.get(one.call)} ${command}`));
  // Other reads may miss an earlier write.
  const isRead = ({ access }: Exchange) => /Get|Query|Scan/.test(access);
  const inconsistent = exchanges.filter((one) => isRead(one) && !one.isConsistentRead);
  expect(inconsistent.map(({ access }) => access)).toEqual([]);
  expect(body).not.toContain('secret');
  const code = codes[`${one.call === 'authorizer' ? 'authorizer' : 'operation'} ${status}`];
  expect(`${log}`).toContain(code ?? '');
  expect(`${log}${printed}`).not.toMatch(/AWS4-HMAC|Signature=/);
});

test.each(usedActions)(
  'in these cases, a call ($call) sends every command that its role allows',
  (row) => {
    const cases = all.filter(({ call }) => call === row.call);
    const sent = new Set(cases.flatMap(({ outcome }) => outcome.sent));
    expect([...sent].sort()).toEqual(row.actions);
  },
);

test.each(limits)('the log of a $type has the limit that was exceeded', async (one) => {
  const { status, log } = await play(one);
  expect(status).toBe(503);
  expect(JSON.parse(`${log}`)).toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    cause: { name: one.type, throttlingReasons: reasons },
  });
});

test.each([
  { call: 'create', stored: null },
  { call: 'delete', stored: 'Aloe' },
] as const)(
  'the log has both errors if the response to a $call is lost and the read after it fails',
  async ({ call, stored }) => {
    const { status, log } = await play({ call, stored, faults: [loseResponse, accessDenied] });
    expect(status).toBe(503);
    expect(JSON.parse(`${log}`)).toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      cause: {
        name: 'UnknownOutcome',
        cause: { code: 'ECONNRESET' },
        readError: { name: 'AccessDeniedException' },
      },
    });
  },
);

test('a database that refuses connections is unavailable to every function', async () => {
  proxy.stop();
  const responses = await Promise.all(
    calls.map(async (call) => invoke(functions, call, await makeEvent(call, 'nobody000000'))),
  );
  expect(responses.map(({ status }) => status)).toEqual(calls.map(() => 503));
});
