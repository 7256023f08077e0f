import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Answer } from '../contract/description.ts';
import { check, timeout } from './check.ts';
import { openStore } from './store.ts';

let store: Awaited<ReturnType<typeof openStore>>;
beforeAll(async () => {
  store = await openStore();
});
afterAll(() => store.stop());

interface Content {
  name: string;
  tag: string;
}
const owners = ['alice', 'bob', 'carol'];
const ids = [-(2n ** 63n), -2n, -1n, 0n, 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n];

const create = (owner: string, id: bigint, content: Content) => {
  const text = `{"id":${id},${JSON.stringify(content).slice(1)}`;
  const headers: [string, string][] = [['Content-Type', 'application/json']];
  return store.call({ operation: 'createPlant', owner, headers, body: Buffer.from(text) });
};
const remove = (owner: string, id: bigint) =>
  store.call({ operation: 'deletePlant', owner, id: `${id}` });
const list = (owner: string, query: URLSearchParams) =>
  store.call({ operation: 'listPlants', owner, query: [...query] });
const plantsIn = ({ body }: Answer) => JSON.parse(body) as Content[];
const nextOf = ({ headers: { link } }: Answer) =>
  link === undefined
    ? undefined
    : new URLSearchParams(/^<\/v1\/plants\?(.*)>; rel="next"$/.exec(link)?.[1]);

/** Lists page by page. Other work may go on with each page. */
async function pagesOf(
  owner: string,
  limit: number,
  meanwhile: () => Promise<unknown> = async () => {},
) {
  const pages: Content[][] = [];
  let query: URLSearchParams | undefined = new URLSearchParams({ limit: `${limit}` });
  while (query) {
    const [answer]: [Answer, unknown] = await Promise.all([list(owner, query), meanwhile()]);
    pages.push(plantsIn(answer));
    query = nextOf(answer);
    // There are never more plants than that.
    if (pages.length > 100) throw new Error('The links never end.');
  }
  return pages;
}

const inOrder = (some: Iterable<bigint>) => [...some].sort((a, b) => (a < b ? -1 : Number(a > b)));

const call = fc.record({
  owner: fc.constantFrom(...owners),
  operation: fc.constantFrom('create', 'create', 'remove', 'list' as const),
  id: fc.constantFrom(...ids),
  content: fc.record({ name: fc.constantFrom('Aloe', 'Ficus'), tag: fc.constantFrom('', 'sun') }),
  limit: fc.integer({ min: 1, max: ids.length + 1 }),
});

test(
  'histories of three owners',
  () =>
    check({
      topic: 'Histories and pages',
      name: 'histories of three owners',
      outcome: 'Every answer was that of a model in memory.',
      counts: { whole: 5000 },
      cases: fc.array(call, { minLength: 1, maxLength: 50, size: 'max' }),
      holds: async (calls) => {
        const model = new Map(owners.map((owner) => [owner, new Map<bigint, Content>()]));
        try {
          for (const { owner, operation, id, content, limit } of calls) {
            const plants = model.get(owner) ?? new Map();
            const there = plants.get(id);
            if (operation === 'create') {
              const { status } = await create(owner, id, content);
              const isSame = there?.name === content.name && there?.tag === content.tag;
              expect(status).toBe(there === undefined ? 201 : isSame ? 200 : 409);
              if (there === undefined) plants.set(id, content);
            } else if (operation === 'remove') {
              expect((await remove(owner, id)).status).toBe(there === undefined ? 404 : 204);
              plants.delete(id);
            } else {
              const all = inOrder(plants.keys()).map((known) => plants.get(known));
              expect((await pagesOf(owner, limit)).flat()).toEqual(all);
            }
          }
        } finally {
          for (const owner of owners) await store.clear(owner);
        }
      },
    }),
  timeout,
);

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const id = fc.oneof(int64, fc.bigInt({ min: -20n, max: 20n }), fc.constantFrom(...ids));
const dataSet = fc.uniqueArray(id, { maxLength: 30, size: 'max' });
const limit = fc.integer({ min: 1, max: 32 });
const owner = 'alice';
const named = (plant: bigint) => ({ name: `${plant}`, tag: '' });

/** Stores the plants, then clears the table of them, whatever comes of it. */
async function withPlants(plants: bigint[], holds: () => Promise<void>): Promise<void> {
  try {
    await Promise.all(plants.map((plant) => create(owner, plant, named(plant))));
    await holds();
  } finally {
    await store.clear(owner);
  }
}

test(
  'pages of random data sets',
  () =>
    check({
      topic: 'Histories and pages',
      name: 'pages of random data sets',
      outcome: 'The pages joined to the whole list, in order.',
      counts: { whole: 1000 },
      // The limit that is exactly reached is one of the likely ones.
      cases: fc.tuple(dataSet, fc.option(limit, { freq: 3 })),
      holds: ([plants, given]) =>
        withPlants(plants, async () => {
          const size = given ?? Math.max(plants.length, 1);
          const pages = await pagesOf(owner, size);
          expect(pages.flat()).toEqual(inOrder(plants).map(named));
          expect(pages.length).toBe(Math.ceil(plants.length / size) || 1);
        }),
    }),
  timeout,
);

test(
  'pages while others write',
  () =>
    check({
      topic: 'Histories and pages',
      name: 'pages while others write',
      outcome: 'No plant that stood throughout was skipped or came twice.',
      counts: { whole: 1000 },
      cases: fc.tuple(
        dataSet,
        fc.integer({ min: 1, max: 8 }),
        dataSet,
        fc.array(fc.nat(), { minLength: 9, maxLength: 60, size: 'max' }),
      ),
      holds: ([standing, size, others, choices]) =>
        withPlants(standing, async () => {
          const left = [...choices];
          const changing = others.filter((other) => !standing.includes(other));
          /** Creates or deletes up to three plants. */
          const write = () =>
            Promise.all(
              left.splice(0, 3).map((choice) => {
                const plant = changing[choice % (changing.length || 1)];
                if (plant === undefined) return undefined;
                return choice % 5 < 3 ? create(owner, plant, named(plant)) : remove(owner, plant);
              }),
            );
          await write();
          const seen = (await pagesOf(owner, size, write)).flat().map(({ name }) => BigInt(name));
          expect(seen).toEqual(inOrder(new Set(seen)));
          expect(seen.filter((plant) => standing.includes(plant))).toEqual(inOrder(standing));
          expect(seen.filter((p) => !standing.includes(p) && !changing.includes(p))).toEqual([]);
        }),
    }),
  timeout,
);
