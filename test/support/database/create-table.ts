import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type TableName, tableIds, tableKeys } from '../../../functions/shared/table-schema.ts';

/** Creates one of the stack's tables in an empty engine. */
export async function createTable(
  client: Pick<DynamoDBClient, 'send'>,
  name: TableName,
  called: string = tableIds[name],
): Promise<void> {
  const { partition, sort } = tableKeys[name];
  const attributes = [
    { AttributeName: partition, AttributeType: 'S', KeyType: 'HASH' } as const,
    ...(sort ? [{ AttributeName: sort, AttributeType: 'N', KeyType: 'RANGE' } as const] : []),
  ];
  await client.send(
    new CreateTableCommand({
      TableName: called,
      AttributeDefinitions: attributes.map(({ KeyType: _, ...definition }) => definition),
      KeySchema: attributes.map(({ AttributeType: _, ...key }) => key),
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
}

export const tableNames = Object.keys(tableIds) as TableName[];
