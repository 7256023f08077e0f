import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { tableIds } from '../../../../functions/shared/table-schema.ts';
import { localDocumentClient } from '../../../../lib/database/database-client.ts';
import type { Database } from '../../../../lib/database/embedded-database.ts';
import { finallyDo } from '../../../support/cleanup.ts';
import { engines } from '../../../support/database/engines.ts';
import { answered } from '../../../support/plant.ts';
import { countOf, testProperty } from '../../../support/report/property.ts';
import { report } from '../../../support/report/report.ts';
import { openStore } from '../../../support/service/store.ts';
import { ownerCalls } from '../owner-calls.ts';
import { startHistory } from './recorded-history.ts';

const topic = 'Concurrency';

interface Step {
  operation: 'create' | 'delete' | 'list';
  id: number;
  variety: string;
}

describe.each(engines())('on $name', ({ name: engineName, start }) => {
  const isAwsOwn = engineName === 'DynamoDB Local';
  const rounds = countOf({ whole: isAwsOwn ? 200 : 40 });

  let store: Awaited<ReturnType<typeof openStore>>;
  beforeAll(async () => {
    const database = await start();
    finallyDo(database.stop);
    store = await openStore({ database, atOnce: true });
    finallyDo(store.stop);
    if (isAwsOwn) await warmUp(database);
  });

  let owners = 0;
  /** Returns the calls of an owner that has no plants. Every tenth owner's go over HTTP. */
  function newOwner() {
    owners += 1;
    const isOverHttp = owners % 10 === 0;
    return ownerCalls(store, `owner-${owners}`, { isOverHttp, canBeBusy: ['createPlant'] });
  }

  test.each([
    ['different', (i: number) => `Plant ${i}`, 409],
    ['the same', () => 'Aloe', 200],
  ])(
    'of 50 creates of one id with %s content, one creates',
    async (content, nameOfPlant, otherwise) => {
      const startedAt = performance.now();
      let busy = 0;
      for (let round = 0; round < rounds; round += 1) {
        const { create, list } = newOwner();
        const creates = Array.from({ length: 50 }, (_, i) => create(7, { name: nameOfPlant(i) }));
        const statuses = (await Promise.all(creates)).map(({ status }) => status);
        // A machine that is busy with other things is too slow for the functions' waits.
        if (statuses.includes(503)) {
          busy += 1;
          if (busy > rounds + 10) throw new Error('This machine is too busy for 50 calls at once.');
          round -= 1;
          continue;
        }
        const winner = statuses.indexOf(201);
        expect(statuses.toSpliced(winner, 1)).toEqual(Array(49).fill(otherwise));
        expect(JSON.parse((await list()).body)).toEqual([answered({ name: nameOfPlant(winner) })]);
      }
      report(
        {
          topic,
          tried: `50 creates of one id with ${content} content at once, on ${engineName}`,
          count: rounds,
          unit: 'rounds',
          outcome: `One got 201 and its plant was stored. The other 49 got ${otherwise}.`,
        },
        startedAt,
      );
    },
  );

  /** Plays the calls of several clients at once. Throws if no order of the calls explains them. */
  async function play(clients: Step[][]) {
    const history = startHistory();
    const { create, delete: remove, list } = history.of(newOwner());
    let lastDelete = Promise.resolve(0);
    const calls = {
      create: ({ id, variety }: Step) => create(id, variety),
      delete({ id }: Step) {
        // DynamoDB Local hands one item to several deletes at once.
        lastDelete = isAwsOwn ? lastDelete.then(() => remove(id)) : remove(id);
        return lastDelete;
      },
      list,
    };
    await Promise.all(
      clients.map(async (steps) => {
        for (const step of steps) await calls[step.operation](step);
      }),
    );
    await list();
    const violation = history.violation();
    if (violation) throw new Error(violation);
    return history.calls;
  }

  const deletes = isAwsOwn ? 'deletes one after the other' : 'deletes';

  test('an order explains creates against deletes of one id', async () => {
    const startedAt = performance.now();
    const creators = Array.from({ length: 8 }, (_, i) =>
      Array<Step>(2).fill({ operation: 'create', id: 7, variety: `${i % 4}` }),
    );
    const deleters = Array(2).fill(Array(5).fill({ operation: 'delete', id: 7, variety: '' }));
    const statuses: number[] = [];
    for (let round = 0; round < rounds; round += 1)
      statuses.push(...(await play([...creators, ...deleters])).map(({ status }) => status));
    const count = (status: number) => statuses.filter((one) => one === status).length;
    report(
      {
        topic,
        tried: `16 creates of one id against 10 ${deletes}, on ${engineName}`,
        count: rounds,
        unit: 'rounds',
        outcome:
          `An order of the calls explains every round: ${count(201)} times 201, ` +
          `${count(204)} times 204, ${count(409)} times 409, ${count(404)} times 404. ` +
          `${count(503)} creates met a plant that came and went, and got 503.`,
      },
      startedAt,
    );
  });

  const name = `histories of creates, lists and ${deletes} by 3 to 5 clients, on ${engineName}`;
  const step = fc.record({
    operation: fc.constantFrom('create', 'create', 'delete', 'list' as const),
    id: fc.constantFrom(1, 2, 3),
    variety: fc.constantFrom('Aloe', 'Ficus'),
  });
  const steps = fc.array(step, { minLength: 4, maxLength: 8, size: 'max' });
  testProperty({
    topic,
    name,
    isConcurrent: true,
    outcome: 'Every history was linearizable for each plant.',
    counts: { whole: 1000 },
    cases: fc.array(steps, { minLength: 3, maxLength: 5, size: 'max' }),
    holds: async (clients) => void (await play(clients)),
  });
});

/** Sends writes until Java has compiled its code. The first take longer than a function waits. */
async function warmUp({ endpoint }: Database): Promise<void> {
  const client = localDocumentClient(endpoint);
  const Item = { owner: 'warm-up', id: 0 };
  for (let round = 0; round < 20; round += 1)
    await Promise.all(
      Array.from({ length: 50 }, () =>
        client.send(new PutCommand({ TableName: tableIds.plants, Item })),
      ),
    );
  client.destroy();
}
