import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ownerKey, tableIds } from '../../../functions/shared/table-schema.ts';

/** Creates the table of plants in an empty engine. */
export async function createPlantsTable(client: Pick<DynamoDBClient, 'send'>): Promise<void> {
  const { partition, sort } = ownerKey;
  await client.send(
    new CreateTableCommand({
      TableName: tableIds.plants,
      AttributeDefinitions: [
        { AttributeName: partition, AttributeType: 'S' },
        { AttributeName: sort, AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: partition, KeyType: 'HASH' },
        { AttributeName: sort, KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
}

/** Puts and deletes plants, as many at a time as DynamoDB takes. */
export async function writePlants(database: DynamoDBDocumentClient, requests: object[]) {
  const most = 25;
  for (let i = 0; i < requests.length; i += most)
    await database.send(
      new BatchWriteCommand({ RequestItems: { [tableIds.plants]: requests.slice(i, i + most) } }),
    );
}
