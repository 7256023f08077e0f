import { expect } from '@jest/globals';
import fc from 'fast-check';
import { finallyDo } from '../../../support/cleanup.ts';
import { answered } from '../../../support/plant.ts';
import { testProperty } from '../../../support/report/property.ts';
import { openStore } from '../../../support/service/store.ts';
import { inOrder, ownerCalls } from '../owner-calls.ts';

const store = await openStore();
finallyDo(store.stop);

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const edges = [-(2n ** 63n), -1n, 0n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];
const id = fc.oneof(int64, fc.bigInt({ min: -20n, max: 20n }), fc.constantFrom(...edges));
const dataSet = fc.uniqueArray(id, { maxLength: 30, size: 'max' });
const limit = fc.integer({ min: 1, max: 32 });
const named = (plant: bigint) => answered({ name: `${plant}` });

let dataSets = 0;

/** Stores the plants of a new owner, and returns the owner's calls. */
async function stored(ids: bigint[]) {
  dataSets += 1;
  const owner = ownerCalls(store, `owner-${dataSets}`);
  await Promise.all(ids.map((one) => owner.create(one, named(one))));
  return owner;
}

testProperty({
  topic: 'Histories and pages',
  name: 'pages of random data sets',
  outcome: 'The pages joined to the whole list, in order.',
  counts: { whole: 1000 },
  // The limit that is exactly reached is one of the likely ones.
  cases: fc.tuple(dataSet, fc.option(limit, { freq: 3 })),
  async holds([ids, given]) {
    const owner = await stored(ids);
    const size = given ?? Math.max(ids.length, 1);
    const pages = await owner.pages(size);
    expect(pages.flat()).toEqual(inOrder(ids).map(named));
    expect(pages.length).toBe(Math.ceil(ids.length / size) || 1);
  },
});

testProperty({
  topic: 'Histories and pages',
  name: 'pages while others write',
  isConcurrent: true,
  outcome: 'No plant that stood throughout was skipped or came twice.',
  counts: { whole: 1000 },
  cases: fc.tuple(
    dataSet,
    fc.integer({ min: 1, max: 8 }),
    dataSet,
    fc.array(fc.nat(), { minLength: 9, maxLength: 60, size: 'max' }),
  ),
  async holds([standing, size, others, choices]) {
    const owner = await stored(standing);
    const left = [...choices];
    const changing = others.filter((other) => !standing.includes(other));
    /** Creates or deletes up to three plants. */
    const write = () =>
      Promise.all(
        left.splice(0, 3).map((choice) => {
          const one = changing[choice % (changing.length || 1)];
          if (one === undefined) return undefined;
          return choice % 5 < 3 ? owner.create(one, named(one)) : owner.remove(one);
        }),
      );
    await write();
    const pages = await owner.pages(size, write);
    const seen = pages.flat().map(({ name }) => BigInt(name));
    expect(seen).toEqual(inOrder(new Set(seen)));
    expect(seen.filter((plant) => standing.includes(plant))).toEqual(inOrder(standing));
    expect(seen.filter((p) => !standing.includes(p) && !changing.includes(p))).toEqual([]);
  },
});
