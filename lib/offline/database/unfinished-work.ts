import type { ClassicLevel } from 'classic-level';
import { getIndexActions } from 'dynalite/db/index.js';

// What dynalite leaves unfinished in its files if its process ends, and never goes on with.

/** What dynalite stores of a table, under `table~NAME`. */
interface StoredTable {
  TableStatus: string;
  GlobalSecondaryIndexes?: { IndexStatus: string }[];
  LocalSecondaryIndexes?: object[];
}

/** Returns the range of the keys that begin with a name and `~`, which `\x7f` follows. */
const keysOf = (name: string) => ({ gt: `${name}~`, lt: `${name}\x7f` });

/**
 * Finishes the tables that dynalite was making or removing, in a database that it does not have
 * open. Otherwise no start could use them or make them anew.
 */
export async function finishTables(level: ClassicLevel<string, unknown>): Promise<void> {
  for (const [key, stored] of await level.iterator(keysOf('table')).all()) {
    const table = stored as StoredTable;
    const name = key.replace('table~', '');
    if (table.TableStatus === 'DELETING') {
      // dynalite forgets a table's indexes before it removes their rows.
      for (const rows of ['item-', 'tag-', 'index-local~', 'index-global~']) {
        await level.clear(keysOf(rows + name));
      }
      await level.del(key);
    } else if (table.TableStatus !== 'ACTIVE') {
      for (const index of table.GlobalSecondaryIndexes ?? []) {
        index.IndexStatus = 'ACTIVE';
      }
      await level.put(key, { ...table, TableStatus: 'ACTIVE' });
    }
  }
}

/**
 * Makes the indexes follow from the items again, in a database that dynalite does not have open. It
 * writes an item after its rows in the indexes, which otherwise would differ for ever.
 */
export async function repairIndexes(level: ClassicLevel<string, unknown>): Promise<void> {
  for (const [key, stored] of await level.iterator(keysOf('table')).all()) {
    const table = stored as StoredTable;
    const name = key.replace('table~', '');
    await repairRows(level, table, `index-global~${name}`, table.GlobalSecondaryIndexes ?? []);
    await repairRows(level, table, `index-local~${name}`, table.LocalSecondaryIndexes ?? []);
  }
}

/** Makes all rows below a prefix follow from the items of a table. */
async function repairRows(
  level: ClassicLevel<string, unknown>,
  table: StoredTable,
  prefix: string,
  indexes: object[],
): Promise<void> {
  if (indexes.length === 0) {
    return;
  }
  const found = new Map(await level.iterator(keysOf(prefix)).all());
  const items = keysOf(prefix.replace(/^[^~]*~/, 'item-'));
  for await (const item of level.values(items)) {
    for (const row of getIndexActions(indexes, undefined, item, table).puts) {
      const key = `${prefix}~${row.index}~${row.key}`;
      if (JSON.stringify(found.get(key)) !== JSON.stringify(row.item)) {
        await level.put(key, row.item);
      }
      found.delete(key);
    }
  }
  await level.batch([...found.keys()].map((key) => ({ type: 'del', key })));
}
