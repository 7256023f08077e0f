import { createInterface } from 'node:readline';
import { DeleteCommand, type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { kindOf } from '../../functions/items/item.ts';
import { itemStore } from '../../functions/items/store.ts';
import {
  ownerKey,
  type TableName,
  tableIds,
  tableKeys,
} from '../../functions/shared/table-schema.ts';
import { AdministrationError } from '../administration/administration-error.ts';
import { tableIn } from '../administration/target.ts';
import { databaseEndpoint } from '../administration/target-options.ts';
import { counted } from './counted.ts';
import { openPlants, pagesOf, untilAvailable } from './plants-table.ts';
import { progressBar } from './progress-bar.ts';
import { type WriteOptions, writeAll } from './write-all.ts';

// Tokens come first, so that their holders create nothing more.
const tables = new Set(['accessTokens', ...Object.keys(tableIds)] as TableName[]);

/** Deletes for good what an owner has in any table. */
export async function eraseCommand(options: WriteOptions): Promise<void> {
  const { owner } = options;
  const { database } = await openPlants(options);
  const holdings: { table: TableName; removals: Removals; found: number; erased: number }[] = [];
  for (const table of tables) {
    const removals = removalsFrom(database, table, await tableIn(options, table), options);
    const holding = { table, removals, found: 0, erased: 0 };
    for await (const _ of removals()) holding.found += 1;
    holdings.push(holding);
  }
  const sum = (count: 'found' | 'erased') => holdings.reduce((all, one) => all + one[count], 0);
  const list = (count: 'found' | 'erased') =>
    new Intl.ListFormat('en').format(
      holdings.map(({ table, [count]: items }) => {
        const many = tableIds[table].replace(/\B[A-Z]/g, ' $&').toLowerCase();
        return counted(items, many, many.replace(/s$/, ''));
      }),
    );
  const where = options.localhost ? databaseEndpoint(options) : options.stack;
  console.error(`${where}: ${owner} has ${list('found')}.`);
  const total = sum('found');
  if (total === 0) return;
  if (!(await confirmed(owner))) throw new AdministrationError('nothing is erased.');

  const bar = progressBar('Erasing', 'items');
  async function* everyRemoval() {
    for (const holding of holdings)
      for await (const remove of holding.removals()) yield { holding, remove };
  }
  await writeAll(
    options,
    everyRemoval,
    async ({ holding, remove }) => {
      await remove();
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

/** Yields what removes an item, for each item. */
type Removals = () => AsyncGenerator<() => Promise<unknown>>;

function removalsFrom(
  database: DynamoDBDocumentClient,
  table: TableName,
  TableName: string,
  { owner, onlyWriter }: WriteOptions,
): Removals {
  const { partition, sort } = tableKeys[table];
  if (partition === ownerKey.partition) {
    const store = itemStore(kindOf(table, table, {}), database, TableName);
    return async function* () {
      for await (const page of pagesOf(store, owner))
        for (const { id } of page)
          yield () => untilAvailable(() => store.remove(owner, id), onlyWriter);
    };
  }
  const keyNames = [partition, ...(sort ? [sort] : [])];
  const query = {
    TableName,
    ConsistentRead: true,
    FilterExpression: '#owner = :owner',
    ProjectionExpression: keyNames.map((name) => `#${name}`).join(),
    ExpressionAttributeNames: Object.fromEntries(
      [ownerKey.partition, ...keyNames].map((name) => [`#${name}`, name]),
    ),
    ExpressionAttributeValues: { ':owner': owner },
  };
  return async function* () {
    // No other item ever gets this key, so that a repetition deletes nothing else.
    for await (const { Items = [] } of paginateScan({ client: database }, query))
      for (const Key of Items)
        yield () =>
          untilAvailable(() => database.send(new DeleteCommand({ TableName, Key })), true);
  };
}

/** Asks for the owner's whole name, because erased plants cannot be restored. */
async function confirmed(owner: string): Promise<boolean> {
  process.stderr.write(`Type "${owner}" to erase them for good: `);
  const lines = createInterface({ input: process.stdin });
  const { value } = await lines[Symbol.asyncIterator]().next();
  lines.close();
  return value === owner;
}
