import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { kindOf } from '../../functions/items/item.ts';
import { itemStore } from '../../functions/items/store.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { localDocumentClient } from '../../lib/database/database-client.ts';
import { startDatabase } from '../../lib/database/embedded-database.ts';
import { createTable } from '../support/database/create-table.ts';

const fields = {
  soil: v.picklist(['sand', 'clay']),
  depth: v.optional(v.pipe(v.bigint(), v.transform(Number)), 0n),
  covered: v.optional(v.boolean(), false),
};
const bedKind = kindOf('bed', 'plants', fields);
const bed = { id: 1n, soil: 'clay' as const, depth: 7, covered: true };

test('texts, integers and booleans are stored, compared, listed and answered', async () => {
  const engine = await startDatabase({ port: 0 });
  const database = localDocumentClient(engine.endpoint);
  await createTable(database, 'plants');
  const beds = itemStore(bedKind, database, tableIds.plants);
  expect(await beds.create('owner', bed)).toBe('created');
  expect(await beds.create('owner', { ...bed })).toBe('unchanged');
  expect(await beds.create('owner', { ...bed, covered: false })).toBe('conflict');
  expect(await beds.list('owner', 10, undefined)).toEqual([bed]);
  database.destroy();
  await engine.stop();
  expect(bedKind.answerOf(bed)).toEqual({ soil: 'clay', depth: 7, covered: true });
});

test.each([{ depth: '1' }, { covered: 'true' }, { soil: undefined }])(
  'an item that is stored with %p is an error, because another program wrote it',
  (wrong) => {
    expect(() => bedKind.parse({ ...bed, ...wrong })).toThrow('has no valid');
  },
);
