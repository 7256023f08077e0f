import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { encodeCursor, largestPage } from '../../functions/items/paging.ts';
import { type Database, startDatabase } from '../../lib/database/embedded-database.ts';
import { partsOf } from '../contract/description.ts';
import { writePlants } from '../support/database/plants-table.ts';
import { stored } from '../support/plant.ts';
import { type Service, startService } from '../support/service/service.ts';

// docs/cost-and-scale.md counts a whole page as the dearest list. A filter must not read further.

/** For each parameter a value with which a list finds little. */
const values: Record<string, string> = { '?limit': '1', '?cursor': encodeCursor(0n) };

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
  const name = 'a'.repeat(200);
  const items = Array.from({ length: 2 * largestPage }, (_, id) => stored('alice', id, { name }));
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

test.each(partsOf('listPlants'))('a list with %s reads no more than a whole page', async (part) => {
  expect(values).toHaveProperty([part]);
  const query = new URLSearchParams({ [part.slice(1)]: `${values[part]}` });
  expect(await unitsOf(`${query}`)).toBeLessThanOrEqual(await unitsOf(''));
});
