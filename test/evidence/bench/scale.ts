import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type PlantStore, plantStore } from '../../../functions/plants/store.ts';
import { createTables } from '../../../lib/database/create-tables.ts';
import { localDocumentClient } from '../../../lib/database/database-client.ts';
import { startDatabase } from '../../../lib/database/embedded-database.ts';
import { readTemplate } from '../../../lib/emulator/template/template.ts';
import { synthesize } from '../../../lib/synthesize.ts';
import { writePlants } from '../../support/database/plants-table.ts';
import { stored } from '../../support/plant.ts';
import { quartiles } from './ratio.ts';
import type { List, Scale } from './scale-fault.ts';

const own = 1000;
const sizes = [1000, 10_000, 100_000];
const smallPages = [10, 100];

/** Fills the embedded engine with plants of another owner, and lists one's own on the way. */
export async function measureScale(folder: string, say: (line: string) => void): Promise<Scale> {
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
  const store = plantStore(asFunction, 'Plants');
  await writePlants(database, plants('me', 0, own));

  const list = async (others: number, page: number): Promise<List> => {
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      units = 0;
      const before = process.cpuUsage();
      const found = await store.list('me', page, undefined);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
      if (found.length !== page) throw new Error(`A list of ${page} has ${found.length} plants.`);
    }
    return { others, own, page, units, ms: quartiles(times).median };
  };

  const lists: List[] = [];
  let others = 0;
  // The first lists warm the engine up.
  await list(others, own);
  for (const size of sizes) {
    say(`Filling the store with ${size} plants of another owner …`);
    await writePlants(database, plants('other', others, size));
    others = size;
    lists.push(await list(others, own));
  }
  for (const page of smallPages) lists.push(await list(others, page));
  const memory = await pageThrough(store, others);
  database.destroy();
  asFunction.destroy();
  await engine.stop();
  return { lists, memory };
}

const plants = (owner: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => {
    const item = stored(owner, from + i, { name: `Plant ${from + i}`, tag: 'indoor' });
    return { PutRequest: { Item: item } };
  });

/** Pages through all plants of an owner. Compares the heap after ten pages and at the end. */
async function pageThrough(store: PlantStore, plants: number): Promise<Scale['memory']> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const heapMb = () => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  let seen = 0;
  let atTenthMb = 0;
  let last: bigint | undefined;
  for (;;) {
    const page = await store.list('other', 1000, last);
    if (page.length === 0) break;
    seen += page.length;
    last = page.at(-1)?.id;
    if (seen === 10_000) atTenthMb = heapMb();
  }
  if (seen !== plants) throw new Error(`Paging found ${seen} of ${plants} plants.`);
  return { plants, growthMb: heapMb() - atTenthMb };
}
