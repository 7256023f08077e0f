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

/** Returns the command that reads a page, from the row after the key `next` on. */
function commandFor(
  table: string,
  { partition, sort, ownerRows: rows }: TableKey,
  owner: string,
  next: RowKey | undefined,
): QueryCommand | ScanCommand {
  const keyNames = sort === undefined ? [partition] : [partition, sort];
  const searched = rows.by === 'attribute' ? rows.name : partition;
  // Aliased, because DynamoDB reserves words like `name`.
  const aliasOf = (name: string): string => `#${name}`;
  const aliases = [...keyNames, searched].map((name) => [aliasOf(name), name]);
  const request = {
    TableName: table,
    ConsistentRead: true,
    ProjectionExpression: keyNames.map(aliasOf).join(),
    ExpressionAttributeNames: Object.fromEntries(aliases),
    ExclusiveStartKey: next,
  };
  const isOwners = `${aliasOf(searched)} = :owner`;
  switch (rows.by) {
    case 'partition':
      return new QueryCommand({
        ...request,
        KeyConditionExpression: isOwners,
        ExpressionAttributeValues: { ':owner': owner },
      });
    case 'start of the partition':
      return new ScanCommand({
        ...request,
        FilterExpression: `begins_with(${aliasOf(searched)}, :start)`,
        ExpressionAttributeValues: { ':start': `${owner}${rows.separator}` },
      });
    case 'attribute':
      return new ScanCommand({
        ...request,
        FilterExpression: isOwners,
        ExpressionAttributeValues: { ':owner': owner },
      });
    case 'none':
      throw new Error(`No owner has rows in ${table}.`);
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
