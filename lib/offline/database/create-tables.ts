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
import { refuse } from '../template/intrinsics.ts';
import type { Table } from '../template/properties.ts';
import type { Template } from '../template/template.ts';
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
    for (const [name, table] of template.of('AWS::DynamoDB::GlobalTable')) {
      await createTable(client, name, table);
    }
  } finally {
    client.destroy();
  }
}

async function createTable(client: DynamoDBClient, name: string, table: Table): Promise<void> {
  const copy = `${name}.rebuild`;
  const wait = { client, maxWaitTime: 10, minDelay: 0.02, maxDelay: 1 };

  const find = (TableName: string): Promise<TableDescription | undefined> =>
    client.send(new DescribeTableCommand({ TableName })).then(({ Table }) => Table, ifMissing);
  async function create(TableName: string): Promise<void> {
    const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, LocalSecondaryIndexes } =
      table;
    const schema = { AttributeDefinitions, KeySchema };
    const indexes = { GlobalSecondaryIndexes, LocalSecondaryIndexes };
    const BillingMode = 'PAY_PER_REQUEST';
    await client
      .send(new CreateTableCommand({ TableName, ...schema, ...indexes, BillingMode }))
      .catch((error: Error) => {
        if (error.name === 'ValidationException') {
          refuse(name, `this table: ${error.message}`);
        }
        throw error;
      });
    await waitUntilTableExists(wait, { TableName });
  }
  async function remove(TableName: string): Promise<void> {
    await client.send(new DeleteTableCommand({ TableName }));
    await waitUntilTableNotExists(wait, { TableName });
  }
  async function copyRows(from: string, to: string): Promise<void> {
    const pages = paginateScan({ client, pageSize: 25 }, { TableName: from });
    for await (const { Items = [] } of pages) {
      let requests: WriteRequest[] = Items.map((Item) => ({ PutRequest: { Item } }));
      while (requests.length > 0) {
        const batch = new BatchWriteItemCommand({ RequestItems: { [to]: requests } });
        requests = (await client.send(batch)).UnprocessedItems?.[to] ?? [];
      }
    }
  }

  /** Ends a rebuild. Until then, the table or its copy has all rows. */
  async function restore(): Promise<void> {
    if (!(await find(name))) {
      await create(name);
    }
    await copyRows(copy, name);
    await remove(copy);
  }

  // A copy is left if the process was killed while it rebuilt the table.
  if (await find(copy)) {
    await restore();
  }
  const found = await find(name);
  if (!found) {
    return create(name);
  }
  if (indexesOf(found) === indexesOf(table)) {
    return;
  }
  await create(copy);
  try {
    await copyRows(name, copy);
  } catch (cause) {
    await remove(copy);
    const { message } = cause as Error;
    const what = `${name} stays as it was, because a row does not fit its new index`;
    throw new Error(`${what}: ${message}. Change the index, or remove the row before.`, { cause });
  }
  await remove(name);
  await restore();
}

function ifMissing(error: unknown): undefined {
  if (!(error instanceof ResourceNotFoundException)) {
    throw error;
  }
}

/** Returns a text that is equal for tables with the same indexes. */
function indexesOf(table: TableDescription | Table): string {
  const textOf = ({ IndexName, KeySchema = [], Projection = {} }: GlobalSecondaryIndex) => {
    const { ProjectionType, NonKeyAttributes = [] } = Projection;
    const keys = KeySchema.map(({ AttributeName }) => AttributeName);
    return JSON.stringify([IndexName, keys, ProjectionType, NonKeyAttributes.toSorted()]);
  };
  const { GlobalSecondaryIndexes = [], LocalSecondaryIndexes = [] } = table as Table;
  return JSON.stringify(
    [GlobalSecondaryIndexes, LocalSecondaryIndexes].map((all) => all.map(textOf).sort()),
  );
}
