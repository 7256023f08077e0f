import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { finallyDo } from '../support/cleanup.ts';
import { isDynamoDbLocal, startEngine } from '../support/database/engine.ts';
import { isThorough, testProperty } from '../support/property.ts';
import { loadFunctions } from '../support/service/functions.ts';
import { callsOverHttp } from '../support/service/http-calls.ts';
import { startService } from '../support/service/service.ts';
import { ownerCalls } from './owner-calls.ts';
import { startHistory } from './recorded-history.ts';

type Step = [operation: 'create' | 'delete' | 'list', id: number, variety: string];

const rounds = isThorough ? 20 : 1;

const database = await startEngine();
finallyDo(database.stop);
const { call } = await loadFunctions(database.endpoint);
const service = await startService({ database });
finallyDo(service.stop);
const callOverHttp = callsOverHttp(service);

beforeAll(async () => {
  // Until Java has compiled its code, a write takes longer than a function waits.
  const { create } = newOwner();
  for (let round = 0; round < (isDynamoDbLocal ? 20 : 1); round += 1) {
    await Promise.all(Array.from({ length: 50 }, (_, i) => create(i, { name: 'Aloe', tag: '' })));
  }
});

let owners = 0;
/** Returns the calls of an owner without plants. Every tenth owner calls over HTTP. */
function newOwner() {
  owners += 1;
  const calls = owners % 10 === 0 ? callOverHttp : call;
  return ownerCalls(calls, `owner-${owners}`, ['createPlant']);
}

/**
 * Makes the calls of concurrent clients, and returns their statuses. Throws if no order of the
 * calls explains their responses and a final list.
 */
async function playClients(clients: Step[][]): Promise<number[]> {
  const history = startHistory();
  // On a busy machine, this many writes may time out.
  if (clients.length >= 50) {
    history.beginFault('a busy machine');
  }
  const { create, delete: remove, list } = history.of(newOwner());
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

const deletes = isDynamoDbLocal ? 'deletes one after the other' : 'deletes';
const creates = (count: number, variety: (i: number) => string) =>
  Array.from({ length: count }, (_, i): Step[] => [['create', 7, variety(i)]]);
const deleters = Array<Step[]>(2).fill(Array(5).fill(['delete', 7, '']));

test.each([
  ['50 concurrent creates of one id with different names', creates(50, String)],
  ['50 concurrent creates of the same plant', creates(50, () => 'Aloe')],
  [
    `16 concurrent creates of one id, and 10 ${deletes}`,
    [...creates(16, (i) => `${i % 4}`), ...deleters],
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
testProperty(`an order explains creates, lists and ${deletes} by 3 to 5 clients`, {
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
