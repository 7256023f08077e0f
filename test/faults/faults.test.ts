import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { tableIds } from '../../functions/contract/table-schema.ts';
import type { Database } from '../../lib/local/database/embedded-database.ts';
import { engine } from '../engines.ts';
import { type Service, startService } from '../service.ts';
import { faultsOfEveryFunction, skewsOfEveryFunction } from './every-function.ts';
import {
  babble,
  type Fault,
  type FaultProxy,
  fail,
  garble,
  loseAnswer,
  pass,
  reset,
  startFaultProxy,
  swallowAnswer,
  throttle,
} from './proxy.ts';

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

/**
 * `before` and `after`: the name of plant 7, if it is there. `faults`: what comes of the commands
 * in turn; the last goes on. `commands`: those sent.
 */
type Case = [
  what: string,
  call: string,
  before: string,
  faults: Fault[],
  status: number,
  after: string,
  commands: string,
];

/** The database does it, another caller acts, and only then the answer is lost. */
const meanwhile =
  (...acts: ('delete' | 'create other')[]): Fault =>
  async ({ subject: owner, socket, forward }) => {
    await forward();
    // Not by the API, whose cold start would outlast the wait for the answer.
    const TableName = tableIds.plants;
    const ficus = { owner, id: 7, name: 'Ficus', tag: '' };
    for (const act of acts)
      await (act === 'delete'
        ? service.database.send(new DeleteCommand({ TableName, Key: { owner, id: 7 } }))
        : service.database.send(new PutCommand({ TableName, Item: ficus })));
    socket.resetAndDestroy();
  };

const cases: Case[] = [
  ['a create is to wait for a minute', 'create', '', [throttleForAMinute], 503, '', 'PutItem'],
  [
    'a create whose answer never comes finds its own plant',
    'create',
    '',
    [swallowAnswer, pass],
    201,
    'Aloe',
    'PutItem GetItem',
  ],
  [
    'a create whose answer is garbled finds its own plant',
    'create',
    '',
    [garble, pass],
    201,
    'Aloe',
    'PutItem GetItem',
  ],
  [
    'a throttled create whose answer is lost finds its own plant',
    'create',
    '',
    [throttle, loseAnswer, pass],
    201,
    'Aloe',
    'PutItem PutItem GetItem',
  ],
  [
    'a create finds its own plant at the second read',
    'create',
    '',
    [loseAnswer, reset, pass],
    201,
    'Aloe',
    'PutItem GetItem GetItem',
  ],
  ['a create finds its plant', 'create', 'Aloe', [pass], 200, 'Aloe', 'PutItem GetItem'],
  [
    'a create whose answer is lost does not take an equal plant for its own',
    'create',
    'Aloe',
    [loseAnswer, pass],
    503,
    'Aloe',
    'PutItem GetItem',
  ],
  [
    'a create whose answer is lost cannot tell a conflict',
    'create',
    'Ficus',
    [loseAnswer, pass],
    503,
    'Ficus',
    'PutItem GetItem',
  ],
  [
    'a create whose plant another caller deleted does not bring it back',
    'create',
    '',
    [meanwhile('delete'), pass],
    503,
    '',
    'PutItem GetItem',
  ],
  [
    'a create whose plant another caller replaced leaves it',
    'create',
    '',
    [meanwhile('delete', 'create other'), pass],
    503,
    'Ficus',
    'PutItem GetItem',
  ],
  [
    'a create cannot read what is in its way',
    'create',
    'Ficus',
    [pass, down],
    503,
    'Ficus',
    'PutItem GetItem GetItem GetItem',
  ],
  [
    'a create whose obstacle goes away starts again',
    'create',
    'Ficus',
    [pass, passOnceDeleted, pass],
    201,
    'Aloe',
    'PutItem GetItem PutItem',
  ],
  ['a delete finds nothing', 'delete', '', [pass], 404, '', 'DeleteItem'],
  [
    'a delete whose answer never comes may still arrive',
    'delete',
    'Aloe',
    [swallowAnswer],
    503,
    '',
    'DeleteItem',
  ],
  [
    'a delete leaves what another caller created after it',
    'delete',
    'Aloe',
    [meanwhile('create other'), pass],
    503,
    'Ficus',
    'DeleteItem GetItem',
  ],
  [
    'a create meets a database without the table',
    'create',
    '',
    [fail(400, 'ResourceNotFoundException')],
    500,
    '',
    'PutItem',
  ],
  ['a list meets a database that babbles', 'list', '', [babble], 500, '', 'Query'],
];

/** Returns the cases of a fault in create, list and delete. */
const casesOf = ([what, faults, outcome]: (typeof faultsOfEveryFunction)[number]): Case[] =>
  (['create', 'list', 'delete'] as const).map((call) => {
    const [status, after = '', ...commands] = outcome[call].split(' ');
    const before = call === 'create' ? '' : 'Aloe';
    const name = `a ${call} meets a database that ${what}`;
    const there = after.replace('-', '');
    return [name, call, before, faults, Number(status), there, commands.join(' ')];
  });
cases.push(...faultsOfEveryFunction.flatMap(casesOf));
const skewCases = skewsOfEveryFunction.flatMap(casesOf);

type AuthorizerCase = [what: string, faults: Fault[], status: number, commands: string];
const authorizerCaseOf = ([
  what,
  faults,
  { authorize },
]: (typeof faultsOfEveryFunction)[number]): AuthorizerCase => {
  const [status, , ...commands] = authorize.split(' ');
  return [what, faults, Number(status), commands.join(' ')];
};
const authorizerCases = faultsOfEveryFunction.map(authorizerCaseOf);
const skewAuthorizerCases = skewsOfEveryFunction.map(authorizerCaseOf);

const ownerOf = (what: string) => what.replaceAll(/[^a-z]/g, '-');
const answers = new Map<string, { response: Response; body: string }>();
const tokenIds = new Map<string, string>();
const authorizerMs = new Map<string, number>();
const answerTo = (what: string) => answers.get(what) ?? { response: Response.error(), body: '' };

beforeAll(async () => {
  database = await engine().start();
  proxy = await startFaultProxy();
  service = await startService({ database, between: proxy.before });
  const play = async ([what, call, before, faults]: Case) => {
    const owner = ownerOf(what);
    const token = await service.issue(owner);
    if (before)
      await service.database.send(
        new PutCommand({
          TableName: tableIds.plants,
          Item: { owner, id: 7, name: before, tag: '' },
        }),
      );
    proxy.play(owner, ...faults);
    answers.set(what, await ask(call, token));
  };
  const playToAuthorizer = async ([what, faults]: AuthorizerCase) => {
    const token = await service.issue('alice');
    tokenIds.set(what, token.slice(4, 16));
    proxy.play(token.slice(4, 16), ...faults);
    const startedAt = performance.now();
    answers.set(what, await ask('list', token));
    authorizerMs.set(what, performance.now() - startedAt);
  };
  // Several at a time, because most of them only wait.
  const left = [
    ...cases.map((one) => () => play(one)),
    ...authorizerCases.map((one) => () => playToAuthorizer(one)),
  ].values();
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      for (const start of left) await start();
    }),
  );
  for (const one of skewCases) await play(one);
  for (const one of skewAuthorizerCases) await playToAuthorizer(one);
});

afterAll(async () => {
  await proxy?.stop();
  await service?.stop();
  await database?.stop();
});

async function ask(call: string, token: string) {
  const headers = { Authorization: `Bearer ${token}` };
  const create = (name: string) =>
    fetch(`${service.baseUrl}/plants`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ id: 7, name }),
    });
  const requests: Record<string, () => Promise<Response>> = {
    list: () => fetch(`${service.baseUrl}/plants`, { headers }),
    delete: () => fetch(`${service.baseUrl}/plants/7`, { method: 'DELETE', headers }),
    create: () => create('Aloe'),
  };
  const response = (await requests[call]?.()) ?? Response.error();
  return { response, body: await response.text() };
}

test.each([...cases, ...skewCases])(
  '%s',
  async (what, _call, _before, _faults, status, after, commands) => {
    const owner = ownerOf(what);
    const { response, body } = answerTo(what);
    const seen = proxy.seen(owner).join(' ');
    // A stalled answer is waited for, so a busy machine may have no time left for the last attempt.
    const isCutShort = what.includes('stalls in all') && commands.startsWith(seen);
    expect({ status: response.status, commands: seen }).toEqual({
      status,
      commands: isCutShort ? seen : commands,
    });
    const { Item } = await service.database.send(
      new GetCommand({ TableName: tableIds.plants, Key: { owner, id: 7 }, ConsistentRead: true }),
    );
    expect(Item?.name ?? '').toBe(after);

    // The other callers that a fault lets act are done before.
    const line = service.log.findLast((one) => one.includes(`"${owner}","status"`));
    expect(body).not.toContain('secret');
    expect(response.headers.get('Retry-After')).toBe(status === 503 ? '1' : null);
    if (status === 503) expect(line).toContain('DATABASE_UNAVAILABLE');
    if (status === 500) expect(line).toContain('REQUEST_FAILED');
    // Five of the function's ten seconds, and more on a busy machine.
    expect(JSON.parse(line ?? '').message.durationMs).toBeLessThan(7000);
  },
);

test.each([...authorizerCases, ...skewAuthorizerCases])(
  'the authorizer meets a database that %s',
  (what, _faults, status, commands) => {
    const { response, body } = answerTo(what);
    const sent = proxy.seen(tokenIds.get(what) ?? '').join(' ');
    expect({ status: response.status, commands: sent }).toEqual({ status, commands });
    expect(response.headers.get('Retry-After')).toBe(status === 503 ? '1' : null);
    if (status === 503)
      expect(JSON.parse(body)).toMatchObject({ type: 'urn:problem-type:plant-store:unavailable' });
    // The authorizer's ten seconds, and more on a busy machine.
    expect(authorizerMs.get(what)).toBeLessThan(14_000);
  },
);

test('a database that refuses connections is unavailable to every function', async () => {
  const token = await service.issue('dave');
  const other = await service.issue('dave');
  expect((await ask('list', token)).response.status).toBe(200);
  await proxy.stop();
  // The gateway remembers the first token.
  for (const call of ['create', 'list', 'delete'])
    expect((await ask(call, token)).response.status).toBe(503);
  expect((await ask('list', other)).response.status).toBe(503);
});

test('no log line has a signature', () => {
  expect(service.log.filter((line) => /AWS4-HMAC|Signature=/.test(line))).toEqual([]);
});
