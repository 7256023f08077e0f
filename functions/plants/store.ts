import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import { plantKey } from '../contract/table-keys.ts';
import { wasRetried } from '../database.ts';
import type { Plant } from './plant.ts';

export type Creation = 'created' | 'unchanged' | 'conflict';

/** The plants of all owners. A call names the one owner whose plants it can see, and rejects with the SDK's errors. A signal ends it early. */
export interface PlantStore {
  /** Stores a plant where its id is free. The same plant again changes nothing; another plant under its id is a conflict. */
  create(owner: string, plant: Plant, signal?: AbortSignal): Promise<Creation>;
  /** At most `limit` plants, in ascending order of their ids, from the first one above `after` on. Reads its own writes. */
  list(
    owner: string,
    limit: number,
    after: bigint | undefined,
    signal?: AbortSignal,
  ): Promise<Plant[]>;
  /** Deletes a plant; false when there was none. */
  remove(owner: string, id: bigint, signal?: AbortSignal): Promise<boolean>;
}

const { partition, sort } = plantKey;
const until = (signal: AbortSignal | undefined) => signal && { abortSignal: signal };

export function plantStore(database: DynamoDBDocumentClient, table: string): PlantStore {
  async function create(owner: string, plant: Plant, signal?: AbortSignal): Promise<Creation> {
    const { id, name, tag } = plant;
    try {
      await database.send(
        new PutCommand({
          TableName: table,
          Item: { [partition]: owner, [sort]: id, name, tag },
          ConditionExpression: 'attribute_not_exists(#id)',
          ExpressionAttributeNames: { '#id': sort },
        }),
        until(signal),
      );
      return 'created';
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const stored = await read(owner, id, signal);
      if (!stored) return create(owner, plant, signal); // Deleted a moment ago.
      if (stored.name !== name || stored.tag !== tag) return 'conflict';
      // Sent twice, the put may well have met the item that it had written itself.
      return wasRetried(error) ? 'created' : 'unchanged';
    }
  }

  async function read(owner: string, id: bigint, signal?: AbortSignal): Promise<Plant | undefined> {
    const { Item } = await database.send(
      new GetCommand({
        TableName: table,
        Key: { [partition]: owner, [sort]: id },
        ConsistentRead: true,
      }),
      until(signal),
    );
    return Item as Plant | undefined;
  }

  async function list(
    owner: string,
    limit: number,
    after: bigint | undefined,
    signal?: AbortSignal,
  ): Promise<Plant[]> {
    const range =
      after === undefined
        ? { condition: '', values: {} }
        : { condition: ' AND #id > :after', values: { ':after': after } };
    const plants: Plant[] = [];
    let next: Record<string, unknown> | undefined;
    do {
      const page = await database.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: `#owner = :owner${range.condition}`,
          ProjectionExpression: '#id, #name, #tag',
          ExpressionAttributeNames: {
            '#owner': partition,
            '#id': sort,
            '#name': 'name',
            '#tag': 'tag',
          },
          ExpressionAttributeValues: { ':owner': owner, ...range.values },
          ConsistentRead: true,
          Limit: limit - plants.length,
          ...(next && { ExclusiveStartKey: next }),
        }),
        until(signal),
      );
      plants.push(...((page.Items ?? []) as Plant[]));
      next = page.LastEvaluatedKey; // DynamoDB ends a page at 1 MB.
    } while (next && plants.length < limit);
    return plants;
  }

  async function remove(owner: string, id: bigint, signal?: AbortSignal): Promise<boolean> {
    const result = await database.send(
      new DeleteCommand({
        TableName: table,
        Key: { [partition]: owner, [sort]: id },
        ReturnValues: 'ALL_OLD',
      }),
      until(signal),
    );
    // Sent twice, the delete may have found nothing because it had deleted the item itself.
    return result.Attributes !== undefined || wasRetried(result);
  }

  return { create, list, remove };
}
