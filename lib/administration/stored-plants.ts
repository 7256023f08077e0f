import {
  type DynamoDBDocumentClient,
  QueryCommand,
  type QueryCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { retryWhileThrottled } from './write-all.ts';

/** Yields the stored plants of an owner, page by page, in ascending order of ids. */
export async function* readPages(
  database: DynamoDBDocumentClient,
  table: string,
  owner: string,
): AsyncGenerator<Record<string, unknown>[]> {
  let next: Record<string, unknown> | undefined;
  do {
    const query = new QueryCommand({
      TableName: table,
      KeyConditionExpression: '#owner = :owner',
      ExpressionAttributeNames: { '#owner': 'owner' },
      ExpressionAttributeValues: { ':owner': owner },
      ConsistentRead: true,
      ExclusiveStartKey: next,
    });
    const page: QueryCommandOutput = await retryWhileThrottled(() => database.send(query));
    yield page.Items ?? [];
    next = page.LastEvaluatedKey;
  } while (next);
}
