import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type GlobalSecondaryIndex,
  paginateScan,
  ResourceNotFoundException,
  type TableDescription,
  type WriteRequest,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { refuse } from '../emulator/template/intrinsics.ts';
import type { Table } from '../emulator/template/properties.ts';
import type { Template } from '../emulator/template/template.ts';
import { localClient, tablesKey } from './database-client.ts';

/**
 * Makes the tables of the template. A table's name is its logical id. A table that has other
 * indexes than the template is rebuilt with its rows. Expiry is left out, because the functions
 * check it themselves. Rejects with the SDK's error if the engine cannot be reached.
 */
export async function createTables(template: Template, endpoint: string): Promise<void> {
  const client = localClient(endpoint, {
    credentials: { accessKeyId: tablesKey, secretAccessKey: 'local' },
  });
  try {
    for (const [name, table] of template.of('AWS::DynamoDB::GlobalTable'))
      await createTable(client, name, table);
  } finally {
    client.destroy();
  }
}

async function createTable(client: DynamoDBClient, name: string, table: Table): Promise<void> {
  const copy = `${name}.rebuild`;
  const wait = { client, maxWaitTime: 10, minDelay: 0.02, maxDelay: 1 };

  const find = async (TableName: string): Promise<TableDescription | undefined> => {
    const found = client.send(new DescribeTableCommand({ TableName }));
    return (await found.catch(undefinedIfMissing))?.Table;
  };
  async function create(TableName: string): Promise<void> {
    const { GlobalSecondaryIndexes: globals = [], LocalSecondaryIndexes: locals = [] } = table;
    const created = client.send(
      new CreateTableCommand({
        TableName,
        AttributeDefinitions: table.AttributeDefinitions,
        KeySchema: table.KeySchema,
        GlobalSecondaryIndexes: globals.length > 0 ? globals : undefined,
        LocalSecondaryIndexes: locals.length > 0 ? locals : undefined,
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    await created.catch((error: Error) => {
      if (error.name === 'ValidationException') refuse(name, `this table: ${error.message}`);
      throw error;
    });
    await waitUntilTableExists(wait, { TableName });
  }
  async function remove(TableName: string): Promise<void> {
    await client.send(new DeleteTableCommand({ TableName }));
    await waitUntilTableNotExists(wait, { TableName });
  }
  async function copyRows(from: string, to: string): Promise<void> {
    for await (const { Items = [] } of paginateScan(
      { client, pageSize: 25 },
      { TableName: from },
    )) {
      let requests: WriteRequest[] = Items.map((Item) => ({ PutRequest: { Item } }));
      while (requests.length > 0) {
        const batch = new BatchWriteItemCommand({ RequestItems: { [to]: requests } });
        requests = (await client.send(batch)).UnprocessedItems?.[to] ?? [];
      }
    }
  }

  /** Ends a rebuild. Until then, the table or its copy has all rows. */
  async function restore(): Promise<void> {
    if (!(await find(name))) await create(name);
    await copyRows(copy, name);
    await remove(copy);
  }

  // A copy is left if the process was killed while it rebuilt the table.
  if (await find(copy)) await restore();
  const found = await find(name);
  if (!found) return create(name);
  if (indexesOf(found) === indexesOf(table)) return;
  await create(copy);
  try {
    await copyRows(name, copy);
  } catch (cause) {
    await remove(copy);
    const { message } = cause as Error;
    const what = `${name} stays as it was, because a row does not fit its new index`;
    throw new Error(`${what}: ${message}`, { cause });
  }
  await remove(name);
  await restore();
}

function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof ResourceNotFoundException)) throw error;
}

/** Returns a text that is equal for tables with the same indexes. */
function indexesOf(table: TableDescription | Table): string {
  const { GlobalSecondaryIndexes = [], LocalSecondaryIndexes = [] } = table;
  const plain = ({ IndexName, KeySchema, Projection }: GlobalSecondaryIndex) =>
    JSON.stringify([
      IndexName,
      KeySchema?.map(({ AttributeName }) => AttributeName),
      Projection?.ProjectionType,
      [...(Projection?.NonKeyAttributes ?? [])].sort(),
    ]);
  const texts = [GlobalSecondaryIndexes, LocalSecondaryIndexes].map((indexes) =>
    indexes.map((index) => plain(index as GlobalSecondaryIndex)).sort(),
  );
  return JSON.stringify(texts);
}
