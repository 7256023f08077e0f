import { setTimeout } from 'node:timers/promises';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { tableIds } from '../../functions/shared/table-schema.ts';
import type { Database } from '../../lib/database/embedded-database.ts';
import { engine } from '../support/database/engines.ts';
import {
  crawl,
  type Fault,
  type FaultProxy,
  fail,
  garble,
  hang,
  loseAnswer,
  pass,
  reset,
  stall,
  startFaultProxy,
  swallowAnswer,
  throttle,
} from '../support/database/proxy.ts';
import { sent, stored } from '../support/plant.ts';
import { report } from '../support/report/report.ts';
import { type Service, startService } from '../support/service/service.ts';
import { faultsOfEveryFunction, type Outcome, skewsOfEveryFunction } from './every-function.ts';

const startedAt = performance.now();
let database: Database;
let proxy: FaultProxy;
let service: Service;

const down = fail(500, 'InternalServerError');
const throttleForAMinute = fail(400, 'ThrottlingException', { 'x-amz-retry-after': '60000' });
const passOnceDeleted: Fault = async (exchange) => {
  await service.database.send(
    new DeleteCommand({ TableName: tableIds.plants, Key: { owner: exchange.subject, id: 7 } }),
  );
  await pass(exchange);
};

/** The database executes the command, another caller acts, and then the answer is lost. */
const meanwhile =
  (...acts: ('delete' | 'create other')[]): Fault =>
  async ({ subject: owner, socket, forward }) => {
    await forward();
    // The cold start of the API would outlast the wait for the answer, so this uses the database.
    const TableName = tableIds.plants;
    const ficus = stored(owner, 7, { name: 'Ficus' });
    for (const act of acts)
      await (act === 'delete'
        ? service.database.send(new DeleteCommand({ TableName, Key: { owner, id: 7 } }))
        : service.database.send(new PutCommand({ TableName, Item: ficus })));
    socket.resetAndDestroy();
  };

/**
 * `before` is the name of plant 7, or empty. `faults` are those of the commands in turn, of which
 * the last one stays. `outcome` is as in every-function.ts.
 */
type Row = [what: string, before: string, faults: Fault[], outcome: string];

const lost = [loseAnswer, pass];
const deleted = [meanwhile('delete'), pass];
const replaced = [meanwhile('delete', 'create other'), pass];
const createdAfterwards = [meanwhile('create other'), pass];
const found = '201 Aloe PutItem GetItem';
const inDoubt = (there: string) => `503 ${there} PutItem GetItem`;
const creates: Row[] = [
  ['is to wait for a minute', '', [throttleForAMinute], '503 - PutItem'],
  ['whose answer never comes finds its own plant', '', [swallowAnswer, pass], found],
  ['whose answer is garbled finds its own plant', '', [garble, pass], found],
  [
    'that is throttled and whose answer is lost finds its own plant',
    '',
    [throttle, loseAnswer, pass],
    '201 Aloe PutItem PutItem GetItem',
  ],
  ['finds its own plant at the second read', '', [loseAnswer, reset, pass], `${found} GetItem`],
  ['finds its plant', 'Aloe', [pass], '200 Aloe PutItem GetItem'],
  ['whose answer is lost does not take an equal plant for its own', 'Aloe', lost, inDoubt('Aloe')],
  ['whose answer is lost cannot tell a conflict', 'Ficus', lost, inDoubt('Ficus')],
  ['whose plant another caller deleted does not bring it back', '', deleted, inDoubt('-')],
  ['whose plant another caller replaced leaves it', '', replaced, inDoubt('Ficus')],
  ['cannot read what is in its way', 'Ficus', [pass, down], `${inDoubt('Ficus')} GetItem GetItem`],
  ['starts again if its obstacle goes', 'Ficus', [pass, passOnceDeleted, pass], `${found} PutItem`],
  [
    'meets a database without the table',
    '',
    [fail(400, 'ResourceNotFoundException')],
    '500 - PutItem',
  ],
];
const deletes: Row[] = [
  ['finds nothing', '', [pass], '404 - DeleteItem'],
  ['whose answer never comes may still arrive', 'Aloe', [swallowAnswer], '503 - DeleteItem'],
  [
    'leaves what another caller created after it',
    'Aloe',
    createdAfterwards,
    '503 Ficus DeleteItem GetItem',
  ],
];

type Call = keyof Outcome;
type Case = [title: string, call: Call, before: string, faults: Fault[], outcome: string];
const casesOf = (call: Call, rows: Row[]) =>
  rows.map(([what, ...more]): Case => [`a ${call} ${what}`, call, ...more]);
const calls: Call[] = ['create', 'list', 'delete', 'authorize'];
const casesOfAll = (table: typeof faultsOfEveryFunction) =>
  calls.flatMap((call) => {
    const meets = `${call === 'authorize' ? 'the authorizer' : `a ${call}`} meets a database that`;
    const before = call === 'list' || call === 'delete' ? 'Aloe' : '';
    return table.map(
      ([what, faults, outcome]): Case => [`${meets} ${what}`, call, before, faults, outcome[call]],
    );
  });
/** The longest come first, because most of them only wait. */
const byDuration = [stall, hang, throttleForAMinute, crawl];
const durationOf = ([, , , faults]: Case) => byDuration.indexOf(faults.at(-1) ?? pass);
const cases = [
  ...casesOf('create', creates),
  ...casesOf('delete', deletes),
  ...casesOfAll(faultsOfEveryFunction),
].sort((a, b) => durationOf(b) - durationOf(a));
const skewCases = casesOfAll(skewsOfEveryFunction);

interface Played {
  subject: string;
  response: Response;
  body: string;
  durationMs: number;
}
/** Five of the function's ten seconds, and the authorizer's ten, with a cold start. */
const maxMsOf = (call: Call) => (call === 'authorize' ? 14_000 : 7000);
/** A busy machine may cut a fault short, or answer too late. It is played again then. */
const times = ['', ', again', ', a third time', ', a fourth time', ', a last time'];
const played = new Map<string, Played>();

async function play([title, call, before, faults]: Case) {
  for (const time of times) {
    const owner = `${title}${time}`.replaceAll(/[^a-z]/g, '-');
    const Item = stored(owner, 7, { name: before });
    if (before) await service.database.send(new PutCommand({ TableName: tableIds.plants, Item }));
    const token = await service.issue(owner);
    const subject = call === 'authorize' ? token.slice(4, 16) : owner;
    proxy.play(subject, ...faults);
    const startedAt = performance.now();
    const answer = await ask(call, token);
    const durationMs = performance.now() - startedAt;
    played.set(title, { subject, ...answer, durationMs });
    // The end of a connection may arrive after the answer.
    await setTimeout(20);
    if (durationMs < maxMsOf(call) && !proxy.isCutShort(subject)) return;
  }
}

beforeAll(async () => {
  database = await engine().start();
  proxy = await startFaultProxy();
  service = await startService({ database, between: proxy.before });
  const queues = calls.map((of) => cases.filter(([, call]) => call === of).values());
  await Promise.all(
    Array.from({ length: 16 }, async (_, i) => {
      for (const one of queues[i % queues.length] ?? []) await play(one);
    }),
  );
  for (const one of skewCases) await play(one);
});

afterAll(async () => {
  await proxy?.stop();
  await service?.stop();
  await database?.stop();
});

const requests: Record<Call, [path: string, more: RequestInit]> = {
  create: ['/plants', { method: 'POST', body: sent(7) }],
  list: ['/plants', {}],
  delete: ['/plants/7', { method: 'DELETE' }],
  authorize: ['/plants', {}],
};
async function ask(call: Call, token: string) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const [path, more] = requests[call];
  const response = await fetch(service.baseUrl + path, { headers, ...more });
  return { response, body: await response.text() };
}

test.each([...cases, ...skewCases])('%s', async (title, call, _before, _faults, outcome) => {
  const { subject, response, body, durationMs } = played.get(title) as Played;
  const { status } = response;
  const { Item } = await service.database.send(
    new GetCommand({
      TableName: tableIds.plants,
      Key: { owner: subject, id: 7 },
      ConsistentRead: true,
    }),
  );
  const actual = [status, Item?.name ?? '-', ...proxy.seen(subject)].join(' ');
  // These answers are waited for, so a busy machine may have no time left for the last attempt.
  const isCutShort =
    /^a .*(stalls in all|hangs for long)/.test(title) && outcome.startsWith(actual);
  expect(actual).toBe(isCutShort ? actual : outcome);

  expect(body).not.toContain('secret');
  expect(response.headers.get('Retry-After')).toBe(status === 503 ? '1' : null);
  if (status === 503)
    expect(JSON.parse(body)).toMatchObject({ type: 'urn:problem-type:plant-store:unavailable' });
  expect(durationMs).toBeLessThan(maxMsOf(call));
  // The other callers that a fault lets act are done before.
  const line = service.log.findLast((one) => one.includes(`"${subject}","status"`));
  if (call === 'authorize') return;
  if (status === 503) expect(line).toContain('DATABASE_UNAVAILABLE');
  if (status === 500) expect(line).toContain('REQUEST_FAILED');
  expect(JSON.parse(line ?? '').message.durationMs).toBeLessThan(maxMsOf(call));
});

test('a database that refuses connections is unavailable to every function', async () => {
  const token = await service.issue('dave');
  const other = await service.issue('dave');
  expect((await ask('list', token)).response.status).toBe(200);
  await proxy.stop();
  // The gateway remembers the first token.
  for (const call of ['create', 'list', 'delete'] as const)
    expect((await ask(call, token)).response.status).toBe(503);
  expect((await ask('list', other)).response.status).toBe(503);
});

test('no log line has a signature', () => {
  expect(service.log.filter((line) => /AWS4-HMAC|Signature=/.test(line))).toEqual([]);
  report(
    {
      topic: 'Faults',
      tried:
        'throttled, failed, refused, reset, lost, late, cut and garbled answers of the database, ' +
        'refused credentials and a wrong clock, on every function',
      count: played.size,
      unit: 'faults',
      outcome:
        'Each was answered in bounded time with the status of the contract. ' +
        'No write was lost or done twice, and no secret reached the log.',
      command: 'npm test -- test/faults/faults',
    },
    startedAt,
  );
});
