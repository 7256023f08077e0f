import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, jest, test } from '@jest/globals';
import { exportToFile, exportToStdout } from '../../bin/plants/export.ts';
import { plantStore } from '../../functions/plants/store.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { openTables } from '../support/database/open-database.ts';
import { writePlants } from '../support/database/plants-table.ts';
import { answered } from '../support/plant.ts';

const { database } = await openTables();
const store = plantStore(database, tableIds.plants);

test.each([0, 1, 1000, 1001])('an export has every one of %i plants', async (count) => {
  const owner = `owner-of-${count}`;
  const plants = Array.from({ length: count }, (_, i) => ({ id: i + 1, ...answered() }));
  const requests = plants.map((plant) => ({ PutRequest: { Item: { owner, ...plant } } }));
  await writePlants(database, requests);
  const counted: number[] = [];
  const note = (some: number) => void counted.push(some);

  const file = join(temporaryFolder(), 'plants.jsonl');
  const origin = { owner, table: tableIds.plants, tableId: '' };
  await exportToFile(store, origin, file, note, new AbortController().signal);
  const output = new PassThrough();
  const stdout = jest.spyOn(process, 'stdout', 'get').mockReturnValue(output as never);
  const [printed] = await Promise.all([
    text(output),
    exportToStdout(store, owner, note).finally(() => output.end()),
  ]);
  stdout.mockRestore();

  const lines = plants.map((plant) => `${JSON.stringify(plant)}\n`).join('');
  expect(readFileSync(file, 'utf8')).toBe(lines);
  expect(printed).toBe(lines);
  expect(counted.reduce((sum, some) => sum + some, 0)).toBe(2 * count);
});
