import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { PublicFields } from '../../functions/plants/plant.ts';
import type { Operation } from '../../functions/shared/operations.ts';
import { makeFields } from '../support/plant.ts';
import { testProperty } from '../support/property.ts';
import { inOrder, type OwnerCalls, ownerCalls } from './owner-calls.ts';

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
const plant = fc
  .record({ name: fc.constantFrom('Aloe', 'Ficus'), tag: fc.constantFrom('', 'sun') })
  .map(makeFields);
const creates = fc.tuple(owner, id, plant).map(([by, to, given]) =>
  command(`${by} creates ${to} ${JSON.stringify(given)}`, async (model, findCalls) => {
    const stored = model[by].get(to);
    const { status } = await findCalls(by).create(to, given);
    if (stored === undefined) {
      expect(status).toBe(201);
      model[by].set(to, given);
    } else {
      expect(status).toBe(isDeepStrictEqual(stored, given) ? 200 : 409);
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

/** The commands of histories, by the operations that they call. */
const commandsByOperation: Record<Operation, fc.Arbitrary<Command>> = {
  createPlant: creates,
  deletePlant: deletes,
  listPlants: lists,
};

let histories = 0;

testProperty('every response to three owners matches a model in memory', {
  counts: { short: 3, full: 100 },
  cases: fc.commands([creates, ...Object.values(commandsByOperation)], {
    maxCommands: 50,
    size: 'max',
  }),
  async holds(commands) {
    histories += 1;
    const model: Model = { alice: new Map(), bob: new Map(), carol: new Map() };
    const real: Real = (by) => ownerCalls(`${by}-${histories}`);
    await fc.asyncModelRun(() => ({ model, real }), commands);
  },
});

const int64 = fc.bigInt({ min: smallest, max: largest });
const anyId = fc.oneof(int64, fc.bigInt({ min: -20n, max: 20n }), fc.constantFrom(...ids));
const dataSet = fc.uniqueArray(anyId, { maxLength: 30, size: 'max' });
const makePlant = (one: bigint) => makeFields({ name: `${one}` });

testProperty('pages list each plant that exists throughout once, although others come and go', {
  isConcurrent: true,
  counts: { short: 2, full: 50 },
  cases: fc.tuple(
    dataSet,
    fc.integer({ min: 1, max: 8 }),
    dataSet,
    fc.array(fc.nat(), { minLength: 9, maxLength: 60, size: 'max' }),
  ),
  async holds([lasting, size, others, choices]) {
    histories += 1;
    const calls = ownerCalls(`paging-${histories}`);
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
