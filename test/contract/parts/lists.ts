import { expect, test } from '@jest/globals';
import { type Content, label, sent } from '../../support/plant.ts';
import { words } from '../../support/words.ts';
import { create, inParallel, list, plantsPath, type Reply, remove, target } from '../api-client.ts';

const { otherToken } = target;
const namesOf = ({ json }: Reply) => (json as Content[]).map((plant) => plant[label]);
const names = (...ids: (number | bigint | string)[]) => ids.map((id) => `Plant ${id}`);
const createAll = (ids: (number | string)[], token?: string) =>
  inParallel(ids, (id) => create(sent(id, { [label]: `Plant ${id}` }), token));

/** Returns the query of the next page from the link to it. */
function next({ headers: { link = '' } }: Reply): string {
  const [, path, query = ''] = /^<(.*)\?(.*)>; rel="next"$/.exec(link) ?? [];
  expect(path).toBe(plantsPath);
  return query;
}

/** Follows the links, and returns the names of all plants. Other work may go on with each page. */
async function follow(query: string, meanwhile: (() => Promise<unknown>)[] = []) {
  const page = await list(query);
  await meanwhile.shift()?.();
  const rest: string[] = page.headers.link ? await follow(next(page), meanwhile) : [];
  return [...namesOf(page), ...rest];
}

test('a list has the plants in ascending order of their ids', async () => {
  // A double could not tell some neighbours apart.
  const sorted = words(`
    -9223372036854775808 -9223372036854775807 -10 -9 -1 0 1 2 9 10 11 100
    9007199254740992 9007199254740993 9223372036854775806 9223372036854775807
  `);
  await createAll(sorted.toSorted());
  expect(namesOf(await list())).toEqual(names(...sorted));
  expect(await follow('limit=1')).toEqual(names(...sorted));
});

test('a page has at most as many plants as its limit, and a link if there are more', async () => {
  const ids = [1, 2, 3, 4, 5];
  await createAll(ids);
  for (const limit of [1, 2, 4, 5, 6, 1000, 1001, 2147483647]) {
    const page = await list(`limit=${limit}`);
    expect(namesOf(page)).toEqual(names(...ids.slice(0, limit)));
    expect(page.headers.link !== undefined).toBe(limit < 5);
    if (limit < 5) {
      expect(next(page)).toMatch(new RegExp(`(^|&)limit=${limit}&cursor=[A-Za-z0-9_-]+$`));
    }
  }
  const second = next(await list('limit=2'));
  expect(namesOf(await list(second))).toEqual(names(3, 4));
  // A cursor goes with any limit, and works again.
  expect(namesOf(await list(second.replace('limit=2&', '')))).toEqual(names(3, 4, 5));
  expect(await follow(second)).toEqual(names(3, 4, 5));
});

test('the links lead to every plant that existed throughout, once and in order', async () => {
  const stay = [10, 20, 30, 40, 50, 60];
  await createAll([...stay, 25, 45]);
  const writes = [
    () => remove(25),
    () => remove(45).then(() => createAll([55])),
    () => createAll([5]),
  ];
  expect(await follow('limit=2', writes)).toEqual(names(10, 20, 30, 40, 50, 55, 60));
});

test('a cursor of one owner is only a position in the list of another', async () => {
  await createAll([1, 2, 3]);
  await createAll([2, 4], otherToken);
  const query = next(await list('limit=2'));
  expect(namesOf(await list(query, otherToken))).toEqual(names(4));
});

// Without a database at hand this takes two thousand calls, which are too many for sam local.
if (!target.isSam) {
  test('a page has at most 1000 plants, whatever the limit', async () => {
    const ids = Array.from({ length: 1001 }, (_, i) => i + 1);
    const removeMany = await target.createMany?.(ids);
    if (!removeMany) {
      await createAll(ids);
    }
    try {
      for (const query of ['', 'limit=1000', 'limit=1001', 'limit=2147483647']) {
        const page = await list(query);
        expect(namesOf(page)).toEqual(names(...ids.slice(0, 1000)));
        expect(next(page)).toMatch(/(^|&)limit=1000&/);
        expect(namesOf(await list(next(page)))).toEqual(names(1001));
      }
    } finally {
      await removeMany?.();
    }
  });
}
