import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { listPlants, listPlantsInput } from '../../functions/plants/list.ts';
import { plantKind } from '../../functions/plants/plant.ts';
import type { PlantStore } from '../../functions/plants/store.ts';

/** An owner with plants 1 to `count`. */
const storeOf = (count: number): Pick<PlantStore, 'list'> => ({
  list: async (owner, limit, after = 0n) =>
    Array.from({ length: count }, (_, i) =>
      plantKind.parse({ id: BigInt(i + 1), name: `${owner} ${i + 1}` }),
    )
      .filter(({ id }) => id > after)
      .slice(0, limit),
});

async function pageOf(count: number, query: Record<string, string>) {
  const { headers, body } = await listPlants(storeOf(count))(v.parse(listPlantsInput, { query }), {
    owner: 'alice',
    requestPath: '/v1/plants',
    signal: new AbortController().signal,
  });
  return { link: headers?.Link, length: (body as unknown[]).length };
}

test.each<[query: Record<string, string>, limit: number]>([
  [{}, 1000],
  [{ limit: '1' }, 1],
  [{ limit: '999' }, 999],
  [{ limit: '1000' }, 1000],
  [{ limit: '1001' }, 1000],
  [{ limit: '2147483647' }, 1000],
])('the page of %j has %i plants, and links to the next with that limit', async (query, limit) => {
  expect(await pageOf(1001, query)).toEqual({
    length: limit,
    link: expect.stringMatching(
      new RegExp(`^</v1/plants\\?limit=${limit}&cursor=[\\w-]+>; rel="next"$`),
    ),
  });
});

test.each([0, 1, 999, 1000])(
  'a last page has no link, also where it is full: %i plants',
  async (count) => {
    expect(await pageOf(count, {})).toEqual({ length: count, link: undefined });
  },
);

test('following the links gives every plant once', async () => {
  const lengths = [];
  for (let query: Record<string, string> | undefined = { limit: '7' }; query; ) {
    const { link, length } = await pageOf(50, query);
    lengths.push(length);
    query =
      link === undefined
        ? undefined
        : Object.fromEntries(new URL(link.slice(1, link.indexOf('>')), 'http://a').searchParams);
  }
  expect(lengths).toEqual([7, 7, 7, 7, 7, 7, 7, 1]);
});
