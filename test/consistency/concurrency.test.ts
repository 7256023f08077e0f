import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { finallyDo } from '../support/cleanup.ts';
import { engines } from '../support/database/engines.ts';
import { countOf, testProperty } from '../support/report/property.ts';
import { report } from '../support/report/report.ts';
import { openStore } from '../support/service/store.ts';
import { ownerCalls } from './owner-calls.ts';
import { startHistory } from './recorded-history.ts';

const topic = 'Concurrency';
type Step = [operation: 'create' | 'delete' | 'list', id: number, variety: string];

describe.each(engines())('on $name', ({ name: engineName, start }) => {
  const isAwsOwn = engineName === 'DynamoDB Local';
  const rounds = countOf({ whole: isAwsOwn ? 200 : 40 });

  let store: Awaited<ReturnType<typeof openStore>>;
  beforeAll(async () => {
    const database = await start();
    finallyDo(database.stop);
    store = await openStore({ database, atOnce: true });
    finallyDo(store.stop);
    // Until Java has compiled its code, a write takes longer than a function waits.
    const { create } = newOwner();
    for (let round = 0; round < (isAwsOwn ? 20 : 1); round += 1) {
      await Promise.all(Array.from({ length: 50 }, (_, i) => create(i, {})));
    }
  });

  let owners = 0;
  /** Returns the calls of an owner that has no plants. Every tenth owner's go over HTTP. */
  function newOwner() {
    owners += 1;
    const isOverHttp = owners % 10 === 0;
    return ownerCalls(store, `owner-${owners}`, { isOverHttp, canBeBusy: ['createPlant'] });
  }

  /**
   * Plays the calls of several clients at once, and returns their statuses. Throws if no order of
   * the calls explains them and the list after them.
   */
  async function play(clients: Step[][]): Promise<number[]> {
    const history = startHistory();
    // A machine that is busy with other things may be too slow for so many writes.
    if (clients.length >= 50) {
      history.beginFault('a busy machine');
    }
    const { create, delete: remove, list } = history.of(newOwner());
    let lastDelete = Promise.resolve(0);
    const calls = {
      create,
      delete(id: number) {
        // DynamoDB Local hands one item to several deletes at once.
        lastDelete = isAwsOwn ? lastDelete.then(() => remove(id)) : remove(id);
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

  const deletes = isAwsOwn ? 'deletes one after the other' : 'deletes';
  const creates = (count: number, variety: (i: number) => string) =>
    Array.from({ length: count }, (_, i): Step[] => [['create', 7, variety(i)]]);
  const deleters = Array<Step[]>(2).fill(Array(5).fill(['delete', 7, '']));

  test.each([
    ['50 different creates of one id at once', creates(50, String)],
    ['50 equal creates of one id at once', creates(50, () => 'Aloe')],
    [
      `16 creates of one id at once, and 10 ${deletes}`,
      [...creates(16, (i) => `${i % 4}`), ...deleters],
    ],
  ])('an order explains %s', async (what, clients) => {
    const startedAt = performance.now();
    const statuses: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      statuses.push(...(await play(clients)));
    }
    const times = [201, 200, 409, 503, 204, 404].map((status) => {
      return { status, count: statuses.filter((one) => one === status).length };
    });
    expect(times[0]?.count).toBeGreaterThan(0);
    const counted = times.filter(({ count }) => count > 0);
    const told = counted.map(({ status, count }) => `${count} times ${status}`).join(', ');
    report(
      {
        topic,
        tried: `${what}, on ${engineName}`,
        count: rounds,
        unit: 'rounds',
        outcome: `An order of the calls explains every round: ${told}.`,
      },
      startedAt,
    );
  });

  const step = fc.tuple(
    fc.constantFrom('create', 'create', 'delete', 'list' as const),
    fc.constantFrom(1, 2, 3),
    fc.constantFrom('Aloe', 'Ficus'),
  );
  const steps = fc.array(step, { minLength: 4, maxLength: 8, size: 'max' });
  testProperty({
    topic,
    name: `histories of creates, lists and ${deletes} by 3 to 5 clients, on ${engineName}`,
    isConcurrent: true,
    outcome: 'Every history was linearizable for each plant.',
    counts: { whole: 1000 },
    cases: fc.array(steps, { minLength: 3, maxLength: 5, size: 'max' }),
    holds: async (clients) => void (await play(clients)),
  });
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
