import { createInterface } from 'node:readline';
import { type TableName, tableIds, tableKeys } from '../../functions/shared/table-schema.ts';
import { AdministrationError } from '../administration/administration-error.ts';
import { tableIn } from '../administration/target.ts';
import { databaseEndpoint } from '../administration/target-options.ts';
import { counted } from './counted.ts';
import { nouns } from './nouns.ts';
import { deleteRow, ownerRows, type RowKey } from './owner-rows.ts';
import { openPlants, untilAvailable } from './plants-table.ts';
import { progressBar } from './progress-bar.ts';
import { type WriteOptions, writeAll } from './write-all.ts';

// Tokens come first, so that their holders create nothing more.
const tables = new Set(['accessTokens', ...Object.keys(tableIds)] as TableName[]);

/** What an owner has in a table. */
interface Holding {
  table: TableName;
  /** The table's name where it is. */
  name: string;
  rows: () => AsyncGenerator<RowKey>;
  found: number;
  erased: number;
}

/** Deletes for good what an owner has in any table. */
export async function eraseCommand(options: WriteOptions): Promise<void> {
  const { owner } = options;
  const { database } = await openPlants(options);
  const holdings: Holding[] = [];
  for (const table of tables) {
    const name = await tableIn(options, table);
    const rows = () => ownerRows(database, name, tableKeys[table], owner);
    const holding = { table, name, rows, found: 0, erased: 0 };
    for await (const _ of rows()) {
      holding.found += 1;
    }
    holdings.push(holding);
  }
  const sum = (count: 'found' | 'erased') => holdings.reduce((all, one) => all + one[count], 0);
  const list = (count: 'found' | 'erased') =>
    new Intl.ListFormat('en').format(
      holdings.map((holding) => counted(holding[count], nouns[holding.table])),
    );
  const where = options.localhost ? databaseEndpoint(options) : options.stack;
  console.error(`${where}: ${owner} has ${list('found')}.`);
  const total = sum('found');
  if (total === 0) {
    return;
  }
  if (!(await confirmed(owner))) {
    throw new AdministrationError(
      `That is not "${owner}", so nothing is erased. Repeat the command to be asked again.`,
    );
  }

  const bar = progressBar('Erasing', 'items');
  async function* everyRow(): AsyncGenerator<{ holding: Holding; key: RowKey }> {
    for (const holding of holdings) {
      for await (const key of holding.rows()) {
        yield { holding, key };
      }
    }
  }
  await writeAll(
    options,
    everyRow,
    async ({ holding, key }) => {
      // No other token ever gets this key, so that a repetition deletes nothing else.
      const canRepeat = options.onlyWriter || holding.table === 'accessTokens';
      await untilAvailable(() => deleteRow(database, holding.name, key), canRepeat);
      holding.erased += 1;
      bar.show(sum('erased'), Math.min(sum('erased') / total, 1));
    },
    { bar, soFar: () => `${list('erased')} erased` },
  );
  console.error(
    `Erased ${list('erased')} of ${owner}. API Gateway may accept a token for up to 60 s more, ` +
      'or for as long as the setting authorizer-cache says. Repeat the command after that.',
  );
}

/** Asks for the owner's whole name, because erased plants cannot be restored. */
async function confirmed(owner: string): Promise<boolean> {
  process.stderr.write(`Type "${owner}" to erase them for good: `);
  const lines = createInterface({ input: process.stdin });
  const { value } = await lines[Symbol.asyncIterator]().next();
  lines.close();
  return value === owner;
}
