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
  const read = readerOf(table, key, owner);
  let next: RowKey | undefined;
  do {
    const page = await untilAvailable(() => database.send(read(next)));
    yield* page.Items ?? [];
    next = page.LastEvaluatedKey;
  } while (next);
}

/** Returns what makes the command that reads a page, from the row after a key on. */
function readerOf(
  table: string,
  { partition, sort, ownerRows }: TableKey,
  owner: string,
): (next: RowKey | undefined) => QueryCommand | ScanCommand {
  const keyNames = sort ? [partition, sort] : [partition];
  const aliases = new Map(keyNames.map((name) => [`#${name}`, name]));
  const request = {
    TableName: table,
    ConsistentRead: true,
    ProjectionExpression: [...aliases.keys()].join(),
  };
  const names = (name: string) => ({
    ExpressionAttributeNames: { ...Object.fromEntries(aliases), [`#${name}`]: name },
  });
  switch (ownerRows.by) {
    case 'partition':
      return (next) =>
        new QueryCommand({
          ...request,
          ...names(partition),
          KeyConditionExpression: `#${partition} = :owner`,
          ExpressionAttributeValues: { ':owner': owner },
          ExclusiveStartKey: next,
        });
    case 'start of the partition':
      return (next) =>
        new ScanCommand({
          ...request,
          ...names(partition),
          FilterExpression: `begins_with(#${partition}, :start)`,
          ExpressionAttributeValues: { ':start': `${owner}${ownerRows.separator}` },
          ExclusiveStartKey: next,
        });
    case 'attribute':
      return (next) =>
        new ScanCommand({
          ...request,
          ...names(ownerRows.name),
          FilterExpression: `#${ownerRows.name} = :owner`,
          ExpressionAttributeValues: { ':owner': owner },
          ExclusiveStartKey: next,
        });
  }
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
