import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ItemStore, itemStore } from '../../../functions/items/store.ts';
import { type Plant, plantKind } from '../../../functions/plants/plant.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { createTables } from '../../../lib/offline/database/create-tables.ts';
import { localDocumentClient } from '../../../lib/offline/database/database-client.ts';
import { startDatabase } from '../../../lib/offline/database/embedded-database.ts';
import { readTemplate } from '../../../lib/offline/template/template.ts';
import { synthesize } from '../../../lib/synthesize.ts';
import { writePlants } from '../../support/database/plants-table.ts';
import { label, stored } from '../../support/plant.ts';
import { quartiles } from './ratio.ts';
import type { Result } from './targets.ts';

const own = 1000;
const most = 100_000;

/**
 * Lists an owner's plants while those of another owner become many. Throws if this changes the read
 * units. A list that depended on the others would take a hundred times as long in the end, so that
 * a factor of two is enough to tell.
 */
export async function measureScale(folder: string): Promise<Result[]> {
  synthesize(folder);
  let units = 0;
  const engine = await startDatabase({
    port: 0,
    onCall: (call) => {
      units += call.units.reads;
    },
  });
  const template = readTemplate(folder);
  engine.enforce(template);
  await createTables(template, engine.endpoint);
  const database = localDocumentClient(engine.endpoint);
  // The engine tells the units of a function's calls.
  const asFunction = localDocumentClient(`${engine.endpoint}/ListPlants`);
  const store = itemStore(plantKind, asFunction, tableIds.plants);

  const write = (owner: string, from: number, to: number) => {
    const requests = Array.from({ length: to - from }, (_, i) => {
      const plant = { [label]: `Plant ${from + i}` };
      return { PutRequest: { Item: stored(owner, from + i, plant) } };
    });
    return writePlants(database, requests);
  };
  /** Returns the read units of a list, and the CPU time that some such lists take. */
  const list = async (page = own) => {
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      units = 0;
      const before = process.cpuUsage();
      const found = await store.list('me', page, undefined);
      const { user, system } = process.cpuUsage(before);
      times.push(user + system);
      if (found.length !== page) {
        throw new Error(`A list of ${page} has ${found.length} plants.`);
      }
    }
    return { units, times };
  };

  await write('me', 0, own);
  // The first lists warm the engine up.
  await list();
  await write('other', 0, own);
  const few = await list();
  await write('other', own, most);
  const many = await list();
  if (many.units !== few.units) {
    throw new Error(`A list takes ${few.units} units, and then ${many.units} in a larger store.`);
  }
  const title = `list of ${own} plants: `;
  const beside = ({ times }: typeof many, lists = 1) =>
    quartiles(many.times.map((time, i) => time / lists / (times[i] ?? Number.NaN)));
  const results: Result[] = [
    { title: `${title}CPU time in a store of ${most} / of ${own}`, ...beside(few), atMost: 2 },
    { title: `${title}CPU time / 10 lists of 100`, ...beside(await list(100), 10), atMost: 2 },
    { title: `${title}read units`, ...quartiles([many.units]), atMost: 9 },
    {
      title: `pages of ${own}: growth of the heap from the 10th to the last of 100, in MB`,
      ...quartiles([await heapGrowth(store)]),
      atMost: 5,
    },
  ];
  database.destroy();
  asFunction.destroy();
  await engine.stop();
  return results;
}

/** Pages through the plants of the other. Returns what the heap grows by after ten pages, in MB. */
async function heapGrowth(store: ItemStore<Plant>): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  let afterTen = 0;
  let last: bigint | undefined;
  for (let page = 1; page <= most / own; page++) {
    const found = await store.list('other', own, last);
    if (found.length !== own) {
      throw new Error(`Page ${page} has ${found.length} plants.`);
    }
    last = found.at(-1)?.id;
    if (page === 10 || page === most / own) {
      collect();
    }
    if (page === 10) {
      afterTen = process.memoryUsage().heapUsed;
    }
  }
  return (process.memoryUsage().heapUsed - afterTen) / 2 ** 20;
}
