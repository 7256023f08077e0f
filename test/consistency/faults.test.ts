import { setTimeout } from 'node:timers/promises';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from '@jest/globals';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { finallyDo } from '../support/cleanup.ts';
import { engine } from '../support/database/engines.ts';
import {
  crawl,
  type Fault,
  fail,
  hang,
  loseAnswer,
  pass,
  reset,
  startFaultProxy,
  throttle,
} from '../support/database/proxy.ts';
import { sent, stored } from '../support/plant.ts';
import { report } from '../support/report/report.ts';
import { startService } from '../support/service/service.ts';
import {
  type Call,
  type Case,
  calls,
  failing,
  ofEveryFunction,
  ofWrongClocks,
} from './faults/every-function.ts';

const startedAt = performance.now();
const database = await engine().start();
finallyDo(database.stop);
const proxy = await startFaultProxy();
const service = await startService({ database, between: proxy.before });
finallyDo(service.stop);

const keyOf = (owner: string) => ({ TableName: tableIds.plants, Key: { owner, id: 7 } });
function put(owner: string, name: string): Promise<unknown> {
  const item = { TableName: tableIds.plants, Item: stored(owner, 7, { name }) };
  return service.database.send(new PutCommand(item));
}
function remove(owner: string): Promise<unknown> {
  return service.database.send(new DeleteCommand(keyOf(owner)));
}

/** The database executes the command, another caller acts, and then the answer is lost. */
const meanwhile =
  (act: (owner: string) => Promise<unknown>): Fault =>
  async ({ subject, socket, forward }) => {
    await forward();
    // The cold start of the API would outlast the wait for the answer, so this uses the database.
    await act(subject);
    socket.resetAndDestroy();
  };
const passOnceDeleted: Fault = async (exchange) => {
  await remove(exchange.subject);
  await pass(exchange);
};
const throttleForAMinute = fail(400, 'ThrottlingException', { 'x-amz-retry-after': '60000' });
const replaced = meanwhile((owner) => put(owner, 'Ficus'));

const ofOneFunction: Case[] = [
  {
    title: 'a create that is to wait for a minute is answered at once',
    call: 'create',
    stored: null,
    faults: [throttleForAMinute],
    outcome: { status: 503, left: null, sent: ['PutItem'] },
  },
  {
    title: 'a create that was throttled reads its plant after a lost answer',
    call: 'create',
    stored: null,
    faults: [throttle, loseAnswer, pass],
    outcome: { status: 201, left: 'Aloe', sent: ['PutItem', 'PutItem', 'GetItem'] },
  },
  {
    title: 'a create reads its plant again if the first read is lost too',
    call: 'create',
    stored: null,
    faults: [loseAnswer, reset, pass],
    outcome: { status: 201, left: 'Aloe', sent: ['PutItem', 'GetItem', 'GetItem'] },
  },
  {
    title: 'a create whose answer is lost takes no equal plant for its own',
    call: 'create',
    stored: 'Aloe',
    faults: [loseAnswer, pass],
    outcome: { status: 503, left: 'Aloe', sent: ['PutItem', 'GetItem'] },
  },
  {
    title: 'a create whose answer is lost tells no conflict',
    call: 'create',
    stored: 'Ficus',
    faults: [loseAnswer, pass],
    outcome: { status: 503, left: 'Ficus', sent: ['PutItem', 'GetItem'] },
  },
  {
    title: 'a create does not bring back its deleted plant',
    call: 'create',
    stored: null,
    faults: [meanwhile(remove), pass],
    outcome: { status: 503, left: null, sent: ['PutItem', 'GetItem'] },
  },
  {
    title: 'a create leaves what replaced its plant',
    call: 'create',
    stored: null,
    faults: [replaced, pass],
    outcome: { status: 503, left: 'Ficus', sent: ['PutItem', 'GetItem'] },
  },
  {
    title: 'a create that cannot read its obstacle is unavailable',
    call: 'create',
    stored: 'Ficus',
    faults: [pass, failing],
    outcome: { status: 503, left: 'Ficus', sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'] },
  },
  {
    title: 'a create whose obstacle is deleted stores its plant',
    call: 'create',
    stored: 'Ficus',
    faults: [pass, passOnceDeleted, pass],
    outcome: { status: 201, left: 'Aloe', sent: ['PutItem', 'GetItem', 'PutItem'] },
  },
  {
    title: 'a delete leaves what was created after it',
    call: 'delete',
    stored: 'Aloe',
    faults: [replaced, pass],
    outcome: { status: 503, left: 'Ficus', sent: ['DeleteItem', 'GetItem'] },
  },
];

interface Played {
  /** The owner, or the token's id, that the proxy knows the commands by. */
  subject: string;
  response: Response;
  body: string;
}
/** Each case's last play, which rejects if it could not be played. */
const played = new Map<Case, Promise<Played>>();
/** The cases for which the machine was too busy. */
const spoiled = new Set<Case>();

/** Returns what the functions have logged of a case. */
const logOf = (subject: string) => service.logOf(subject).join('\n');
/** The error if a function that does not end by itself is stopped. */
const stopped = 'did not answer within';

/**
 * Tells whether the machine was too busy for a case: no command came, a client gave up what was on
 * its way, or a function had to be stopped.
 */
function isTooBusy(subject: string): boolean {
  const isReached = proxy.seen(subject).length > 0;
  return !isReached || proxy.isCutShort(subject) || logOf(subject).includes(stopped);
}

let owners = 0;
async function play(one: Case): Promise<Played> {
  owners += 1;
  const owner = `owner-${owners}`;
  if (one.stored !== null) {
    await put(owner, one.stored);
  }
  const token = await service.issue(owner);
  const subject = one.call === 'authorizer' ? token.slice(4, 16) : owner;
  proxy.play(subject, ...one.faults);
  const answer = await ask(one.call, token);
  // The end of a connection may arrive after the answer.
  await setTimeout(20);
  // A list follows an authorizer that accepts the token.
  const isListed = one.call === 'authorizer' && one.outcome.status === 200;
  if (isTooBusy(subject) || (isListed && isTooBusy(owner))) {
    spoiled.add(one);
  } else {
    spoiled.delete(one);
  }
  return { subject, ...answer };
}

async function ask(call: Call, token: string): Promise<Pick<Played, 'response' | 'body'>> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const plants = `${service.baseUrl}/plants`;
  const response = await request();
  return { response, body: await response.text() };

  function request(): Promise<Response> {
    switch (call) {
      case 'create':
        return fetch(plants, { method: 'POST', headers, body: sent(7) });
      case 'delete':
        return fetch(`${plants}/7`, { method: 'DELETE', headers });
      case 'list':
      case 'authorizer':
        return fetch(plants, { headers });
    }
  }
}

/** Plays cases one after the other. One that cannot be played fails its own test only. */
async function playInTurn(cases: Iterable<Case>): Promise<void> {
  for (const one of cases) {
    const playing = play(one);
    played.set(one, playing);
    await playing.catch(() => {});
  }
}

/** Plays cases, five at a time. */
async function playAtOnce(cases: Case[]): Promise<void> {
  // Whichever of the five is free takes the next case.
  const queue = cases.values();
  await Promise.all(Array.from({ length: 5 }, () => playInTurn(queue)));
}

/** These mostly wait, so they come first. */
const longFaults = [crawl, hang, throttleForAMinute];
const isLong = ({ faults }: Case) => longFaults.includes(faults.at(-1) ?? pass);
const independent = [...ofOneFunction, ...ofEveryFunction];
const inOrder = [
  ...independent.filter((one) => isLong(one)),
  ...independent.filter((one) => !isLong(one)),
];

beforeAll(async () => {
  await Promise.all(calls.map((call) => playAtOnce(inOrder.filter((one) => one.call === call))));
  await playInTurn(ofWrongClocks);
  // Alone, a case has more of the machine.
  for (let round = 0; round < 4; round += 1) {
    await playInTurn([...spoiled]);
  }
});

test.each([...independent, ...ofWrongClocks])('$title', async (one) => {
  const { subject, response, body } = (await played.get(one)) as Played;
  const { status } = response;
  const { Item: item } = await service.database.send(
    new GetCommand({ ...keyOf(subject), ConsistentRead: true }),
  );
  const commands = proxy.seen(subject);
  // Each of these commands uses up its wait, so a busy machine may have no time for the last ones.
  const isCutShort = one.faults.length === 1 && one.faults[0] === hang;
  const due = isCutShort ? one.outcome.sent.slice(0, commands.length) : one.outcome.sent;
  expect({ status, left: item?.name ?? null, sent: commands }).toEqual({
    ...one.outcome,
    sent: due,
  });

  expect(body).not.toContain('secret');
  expect(response.headers.get('Retry-After')).toBe(status === 503 ? '1' : null);
  if (status === 503) {
    expect(JSON.parse(body)).toMatchObject({ type: 'urn:problem-type:plant-store:unavailable' });
  }
  expect(logOf(subject)).not.toContain(stopped);
  const code = codeOf(one, status);
  if (code !== undefined) {
    expect(logOf(subject)).toContain(code);
  }
});

/** Returns the code of the line that a function logs for a case, if it failed. */
function codeOf({ call }: Case, status: number): string | undefined {
  if (call === 'authorizer') {
    return status === 503 ? 'AUTHORIZER_FAILED' : undefined;
  }
  return { 500: 'REQUEST_FAILED', 503: 'DATABASE_UNAVAILABLE' }[status];
}

test.each([
  ['ThrottlingException', 'throttlingReasons'],
  ['ProvisionedThroughputExceededException', 'ThrottlingReasons'],
  ['RequestLimitExceeded', 'ThrottlingReasons'],
])('the log of a %s has the limit that was exceeded', async (type, member) => {
  const owner = `limit-of-${type}`;
  const reasons = [{ reason: 'TableReadKeyRangeThroughputExceeded', resource: 'arn:aws:table' }];
  proxy.play(owner, fail(400, type, {}, 'Throughput exceeds the limit', { [member]: reasons }));
  expect((await ask('list', await service.issue(owner))).response.status).toBe(503);
  const line = service.log.findLast((logged) => logged.includes(`"${owner}","status"`));
  expect(JSON.parse(`${line}`)).toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    cause: { name: type, throttlingReasons: reasons },
  });
});

test('a database that refuses connections is unavailable to every function', async () => {
  const token = await service.issue('dave');
  const other = await service.issue('dave');
  expect((await ask('list', token)).response.status).toBe(200);
  proxy.stop();
  // The gateway remembers the first token.
  for (const call of ['create', 'list', 'delete'] as const) {
    expect((await ask(call, token)).response.status).toBe(503);
  }
  expect((await ask('list', other)).response.status).toBe(503);
});

test('no log line has a signature', () => {
  expect(service.log.filter((line) => /AWS4-HMAC|Signature=/.test(line))).toEqual([]);
  const tried =
    'throttled, failed, refused, reset, lost, late, cut and garbled answers of the database, ' +
    'refused credentials and a wrong clock, on every function';
  const outcome =
    'Each was answered in bounded time with the status of the contract. ' +
    'No write was lost or done twice, and no secret reached the log.';
  const command = 'npm test -- test/faults/faults';
  const row = { tried, count: played.size, unit: 'faults', outcome, command };
  report({ topic: 'Faults', ...row }, startedAt);
});
