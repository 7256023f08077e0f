import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Field, Fields } from '../../../functions/items/fields.ts';
import { encodeCursor, largestPage } from '../../../functions/items/paging.ts';
import { listPlantsInput } from '../../../functions/plants/list.ts';
import { type Database, startDatabase } from '../../../lib/offline/database/embedded-database.ts';
import { writePlants } from '../../support/database/plants-table.ts';
import { partsOf } from '../../support/openapi/description.ts';
import { label, stored } from '../../support/plant.ts';
import { type Service, startService } from '../../support/service/service.ts';

// docs/cost-and-scale.md counts a whole page as the dearest list. A filter must not read further.

/** The good value of a parameter that no item has, as far as its kind knows one. */
function sampleOf(part: string): string {
  const query: Fields = listPlantsInput.query;
  const { kind } = query[part.slice(1)] as Field<unknown>;
  return `${kind.toParameter(kind.samples().good.at(-1))}`;
}

const values: Record<string, string> = { '?limit': '1', '?cursor': encodeCursor(0n) };

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

test.each(['', ...partsOf('listPlants')])(
  'a list with %j reads no more than a page',
  async (part) => {
    const query = new URLSearchParams(part && { [part.slice(1)]: values[part] ?? sampleOf(part) });
    expect(await unitsOf(`${query}`)).toBeLessThanOrEqual(unitsOfPage);
  },
);
