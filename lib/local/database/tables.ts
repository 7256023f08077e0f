import {
  type AttributeDefinition,
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type KeySchemaElement,
  ResourceInUseException,
  type TableDescription,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import {
  type TableKey,
  type TableName,
  tableIds,
  tableKeys,
} from '../../../functions/shared/table-schema.ts';
import { localClient } from './client.ts';

/** A table exists with other keys or indexes, which a change of functions/shared caused. */
export class OtherTableError extends Error {}

export async function createTables(endpoint: string): Promise<void> {
  const client = localClient(endpoint);
  const names = Object.keys(tableIds) as TableName[];
  await Promise.all(names.map((name) => createTable(client, tableIds[name], tableKeys[name])));
  client.destroy();
}

/**
 * Creates a table, unless it exists. Resolves once it is active. Rejects with an OtherTableError if
 * the existing one has other keys or indexes.
 */
export async function createTable(
  client: DynamoDBClient,
  TableName: string,
  { partition, sort }: TableKey,
): Promise<void> {
  const AttributeDefinitions: AttributeDefinition[] = [
    { AttributeName: partition, AttributeType: 'S' },
  ];
  const KeySchema: KeySchemaElement[] = [{ AttributeName: partition, KeyType: 'HASH' }];
  if (sort !== undefined) {
    AttributeDefinitions.push({ AttributeName: sort, AttributeType: 'N' });
    KeySchema.push({ AttributeName: sort, KeyType: 'RANGE' });
  }
  const keys = { AttributeDefinitions, KeySchema };
  try {
    await client.send(
      new CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...keys }),
    );
    await waitUntilTableExists(
      { client, maxWaitTime: 10, minDelay: 0.01, maxDelay: 0.1 },
      { TableName },
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) {
      throw error;
    }
    const { Table = {} } = await client.send(new DescribeTableCommand({ TableName }));
    if (formatKeys(Table) !== formatKeys(keys)) {
      throw new OtherTableError(`a table ${TableName} with other keys or indexes`);
    }
  }
}

/** Formats a table's keys and indexes, with the attributes in the order of their names. */
function formatKeys({
  AttributeDefinitions = [],
  KeySchema,
  GlobalSecondaryIndexes,
  LocalSecondaryIndexes,
}: TableDescription): string {
  const attributes = AttributeDefinitions.map((one) => `${one.AttributeName} ${one.AttributeType}`);
  return JSON.stringify([
    attributes.sort(),
    KeySchema,
    GlobalSecondaryIndexes,
    LocalSecondaryIndexes,
  ]);
}
