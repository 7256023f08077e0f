import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Operation } from '../../functions/shared/operations.ts';
import { isDynamoDbLocal, openDatabase } from '../support/database/engine.ts';
import { isThorough, testProperty } from '../support/property.ts';
import { loadFunctions } from '../support/service/functions.ts';
import { inOrder, type OwnerCalls, ownerCalls, type PublicFields } from './owner-calls.ts';
import { startHistory } from './recorded-history.ts';

const { endpoint } = await openDatabase();
const { call } = await loadFunctions(endpoint);

let lastOwner = 0;
/** Returns the calls of an owner without plants. The operations in `canBeBusy` may return 503. */
function newOwner(canBeBusy: Operation[] = []): OwnerCalls {
  lastOwner += 1;
  return ownerCalls(call, `owner-${lastOwner}`, canBeBusy);
}

const owners = ['alice', 'bob', 'carol'] as const;
const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;
const ids = [smallest, -2n, -1n, 0n, 1n, 2n ** 53n, 2n ** 53n + 1n, largest];

type Owner = (typeof owners)[number];
type Model = Record<Owner, Map<bigint, PublicFields>>;
/** Returns an owner's calls. Each history has owners of its own. */
type Real = (owner: Owner) => OwnerCalls;
type Command = fc.AsyncCommand<Model, Real>;

const command = (text: string, run: Command['run']): Command => ({
  check: () => true,
  run,
  toString: () => text,
});

const owner = fc.constantFrom(...owners);
const id = fc.constantFrom(...ids);
const plant = fc.record({
  name: fc.constantFrom('Aloe', 'Ficus'),
  tag: fc.constantFrom('', 'sun'),
});
const creates = fc.tuple(owner, id, plant).map(([by, to, given]) =>
  command(`${by} creates ${to} ${JSON.stringify(given)}`, async (model, findCalls) => {
    const stored = model[by].get(to);
    const { status } = await findCalls(by).create(to, given);
    if (stored === undefined) {
      expect(status).toBe(201);
      model[by].set(to, given);
    } else {
      const isSame = stored.name === given.name && stored.tag === given.tag;
      expect(status).toBe(isSame ? 200 : 409);
    }
  }),
);
const deletes = fc.tuple(owner, id).map(([by, to]) =>
  command(`${by} deletes ${to}`, async (model, findCalls) => {
    const { status } = await findCalls(by).remove(to);
    expect(status).toBe(model[by].delete(to) ? 204 : 404);
  }),
);
const lists = fc.tuple(owner, fc.integer({ min: 1, max: ids.length + 1 })).map(([by, limit]) =>
  command(`${by} lists by ${limit}`, async (model, findCalls) => {
    const all = inOrder(model[by].keys()).map((known) => model[by].get(known));
    const pages = await findCalls(by).pages(limit);
    expect(pages.flat()).toEqual(all);
    expect(pages.length).toBe(Math.ceil(all.length / limit) || 1);
  }),
);

let histories = 0;

testProperty('every response to three owners matches a model in memory', {
  counts: { short: 5, full: 100 },
  cases: fc.commands([creates, creates, deletes, lists], { maxCommands: 50, size: 'max' }),
  async holds(commands) {
    histories += 1;
    const model: Model = { alice: new Map(), bob: new Map(), carol: new Map() };
    const real: Real = (by) => ownerCalls(call, `${by}-${histories}`);
    await fc.asyncModelRun(() => ({ model, real }), commands);
  },
});

const int64 = fc.bigInt({ min: smallest, max: largest });
const anyId = fc.oneof(int64, fc.bigInt({ min: -20n, max: 20n }), fc.constantFrom(...ids));
const dataSet = fc.uniqueArray(anyId, { maxLength: 30, size: 'max' });
const makePlant = (one: bigint) => ({ name: `${one}`, tag: '' });

testProperty('pages list each plant that exists throughout once, although others come and go', {
  isConcurrent: true,
  counts: { short: 3, full: 50 },
  cases: fc.tuple(
    dataSet,
    fc.integer({ min: 1, max: 8 }),
    dataSet,
    fc.array(fc.nat(), { minLength: 9, maxLength: 60, size: 'max' }),
  ),
  async holds([lasting, size, others, choices]) {
    const calls = newOwner();
    await Promise.all(lasting.map((one) => calls.create(one, makePlant(one))));
    const left = [...choices];
    const changing = others.filter((other) => !lasting.includes(other));
    /** Creates or deletes up to three plants. */
    const write = () =>
      Promise.all(
        left.splice(0, 3).map((choice) => {
          const one = changing[choice % (changing.length || 1)];
          if (one === undefined) {
            return undefined;
          }
          return choice % 5 < 3 ? calls.create(one, makePlant(one)) : calls.remove(one);
        }),
      );
    await write();
    const pages = await calls.pages(size, write);
    const listed = pages.flat().map(({ name }) => BigInt(name));
    expect(listed).toEqual(inOrder(new Set(listed)));
    expect(listed.filter((one) => lasting.includes(one))).toEqual(inOrder(lasting));
    expect(listed.filter((one) => !lasting.includes(one) && !changing.includes(one))).toEqual([]);
  },
});

// Concurrent clients

type Step = [operation: 'create' | 'delete' | 'list', id: number, variety: string];

const rounds = isThorough ? 20 : 1;

/**
 * Makes the calls of concurrent clients, and returns their statuses. Throws if no order of the
 * calls explains their responses and a final list.
 */
async function playClients(clients: Step[][]): Promise<number[]> {
  const history = startHistory();
  const { create, delete: remove, list } = history.of(newOwner(['createPlant']));
  let lastDelete = Promise.resolve(0);
  const calls = {
    create,
    delete(id: number) {
      // In DynamoDB Local, concurrent deletes may all return the same item.
      lastDelete = isDynamoDbLocal ? lastDelete.then(() => remove(id)) : remove(id);
      return lastDelete;
    },
    list,
  };
  await Promise.all(
    clients.map(async (steps) => {
      for (const [operation, id, variety] of steps) {
        await calls[operation](id, variety);
      }
    }),
  );
  await list();
  expect(history.violation()).toBeUndefined();
  return history.calls.slice(0, -1).map(({ status }) => status);
}

const titleOfDeletes = isDynamoDbLocal ? 'deletes one after the other' : 'deletes';
const creators = (count: number, variety: (i: number) => string) =>
  Array.from({ length: count }, (_, i): Step[] => [['create', 7, variety(i)]]);
const deleters = Array<Step[]>(2).fill(Array(5).fill(['delete', 7, '']));

test.each([
  ['50 concurrent creates of one id with different names', creators(50, String)],
  ['50 concurrent creates of the same plant', creators(50, () => 'Aloe')],
  [
    `16 concurrent creates of one id, and 10 ${titleOfDeletes}`,
    [...creators(16, (i) => `${i % 4}`), ...deleters],
  ],
])(
  'an order explains %s',
  async (_, clients) => {
    for (let round = 0; round < rounds; round += 1) {
      expect(await playClients(clients)).toContain(201);
    }
  },
  isThorough ? 300_000 : undefined,
);

const step = fc.tuple(
  fc.constantFrom('create', 'create', 'delete', 'list' as const),
  fc.constantFrom(1, 2, 3),
  fc.constantFrom('Aloe', 'Ficus'),
);
const steps = fc.array(step, { minLength: 4, maxLength: 8, size: 'max' });
testProperty(`an order explains creates, lists and ${titleOfDeletes} by 3 to 5 clients`, {
  isConcurrent: true,
  counts: { short: 10, full: 200 },
  cases: fc.array(steps, { minLength: 3, maxLength: 5, size: 'max' }),
  holds: async (clients) => void (await playClients(clients)),
});

test('no order explains a history that loses an acknowledged create', async () => {
  const created = { status: 201, body: '' };
  const nothing = { status: 200, body: '[]' };
  const lost = { create: async () => created, list: async () => nothing };
  const history = startHistory();
  const { create, list } = history.of(lost as never);
  await create(7, 'Aloe');
  await list();
  expect(history.violation()).toContain('No order explains the calls about plant 7');
});
