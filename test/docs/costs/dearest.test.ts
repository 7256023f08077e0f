import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cursorAfter, largestPage } from '../../../functions/plants/plant.ts';
import { type Database, startDatabase } from '../../../lib/offline/database/embedded-database.ts';
import { writePlants } from '../../support/database/plants-table.ts';
import { label, stored } from '../../support/plant.ts';
import { type Service, startService } from '../../support/service/service.ts';

// docs/cost-and-scale.md counts a whole page as the dearest list.

const items = Array.from({ length: 2 * largestPage }, (_, id) =>
  stored('alice', id, { [label]: 'a'.repeat(200) }),
);
const itemBytes = Object.entries(items[0] ?? {}).join('').length;
/** One plant more than the page has is read, to see whether there is a next page. */
const unitsOfPage = Math.ceil(((largestPage + 1) * itemBytes) / 4096);

let units = 0;
let database: Database;
let service: Service;
let token: string;
beforeAll(async () => {
  database = await startDatabase({
    port: 0,
    onCall(call) {
      units += call.units.reads;
    },
  });
  service = await startService({ database });
  token = await service.issue('alice');
  await writePlants(
    service.database,
    items.map((Item) => ({ PutRequest: { Item } })),
  );
  await unitsOf('');
});
afterAll(() => service?.stop().finally(database.stop));

async function unitsOf(query: string): Promise<number> {
  const before = units;
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${service.baseUrl}/plants?${query}`, { headers });
  expect([query, answer.status]).toEqual([query, 200]);
  return units - before;
}

test.each(['', 'limit=1', `cursor=${cursorAfter(0n)}`])(
  'a list with %j reads no more than a page',
  async (query) => {
    expect(await unitsOf(query)).toBeLessThanOrEqual(unitsOfPage);
  },
);
