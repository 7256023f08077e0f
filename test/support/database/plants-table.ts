import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { tableIds } from '../../../functions/shared/table-schema.ts';

/** Puts and deletes plants, as many at a time as DynamoDB takes. */
export async function writePlants(
  database: DynamoDBDocumentClient,
  requests: object[],
): Promise<void> {
  const most = 25;
  for (let i = 0; i < requests.length; i += most) {
    const RequestItems = { [tableIds.plants]: requests.slice(i, i + most) };
    await database.send(new BatchWriteCommand({ RequestItems }));
  }
}
