import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import { UnknownOutcome } from '../../functions/dynamodb/writes.ts';
import type { TableKey } from '../../functions/shared/table-schema.ts';
import { untilAvailable } from './plants-table.ts';

/** The key of a row. */
export type RowKey = Record<string, unknown>;

/** Yields the keys of what an owner has in a table. */
export async function* ownerRows(
  database: DynamoDBDocumentClient,
  table: string,
  key: TableKey,
  owner: string,
): AsyncGenerator<RowKey> {
  let next: RowKey | undefined;
  do {
    const page = await untilAvailable(() => database.send(commandFor(table, key, owner, next)));
    yield* page.Items ?? [];
    next = page.LastEvaluatedKey;
  } while (next);
}

/**
 * Returns the command that reads a page, from the row after the key `next` on. An owner's plants
 * are a partition, and its tokens have its name in an attribute.
 */
function commandFor(
  table: string,
  { partition, sort }: TableKey,
  owner: string,
  next: RowKey | undefined,
): QueryCommand | ScanCommand {
  const keyNames = sort === undefined ? [partition] : [partition, sort];
  // Aliased, because DynamoDB reserves words like `owner`.
  const request = {
    TableName: table,
    ConsistentRead: true,
    ProjectionExpression: keyNames.map((name) => `#${name}`).join(),
    ExpressionAttributeNames: Object.fromEntries(
      [...keyNames, 'owner'].map((name) => [`#${name}`, name]),
    ),
    ExpressionAttributeValues: { ':owner': owner },
    ExclusiveStartKey: next,
  };
  return partition === 'owner'
    ? new QueryCommand({ ...request, KeyConditionExpression: '#owner = :owner' })
    : new ScanCommand({ ...request, FilterExpression: '#owner = :owner' });
}

/** Deletes a row. Rejects with `UnknownOutcome` if that may have happened, or may happen yet. */
export async function deleteRow(
  database: DynamoDBDocumentClient,
  table: string,
  key: RowKey,
): Promise<void> {
  try {
    await database.send(new DeleteCommand({ TableName: table, Key: key }));
  } catch (error) {
    if (!(error instanceof UnknownOutcome) || error.mayStillArrive) {
      throw error;
    }
    const get = new GetCommand({ TableName: table, Key: key, ConsistentRead: true });
    const { Item } = await database.send(get).catch((cause) => {
      throw new UnknownOutcome(error.mayStillArrive, cause);
    });
    // A row that is there may be another caller's, created after this delete took effect.
    if (Item) {
      throw error;
    }
  }
}
