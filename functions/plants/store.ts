import { randomBytes } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import { Unavailable, UnknownOutcome } from '../dynamodb/writes.ts';
import { plantKey } from '../shared/table-schema.ts';
import { contentOf, fieldNames, hasSameContent, type Plant, storedPlant } from './plant.ts';

export type Creation = 'created' | 'unchanged' | 'conflict';

/**
 * The plants of all owners. A call names the one owner whose plants it can see, and rejects with
 * the SDK's errors, or with `UnknownOutcome` if it may have taken effect. A signal ends it early.
 */
export interface PlantStore {
  /**
   * Stores a plant if its id is free. The same plant again changes nothing. Another plant under its
   * id is a conflict.
   */
  create(owner: string, plant: Plant, signal?: AbortSignal): Promise<Creation>;
  /**
   * Returns at most `limit` plants, in ascending order of their ids, from the first one above
   * `after` on. The read is strongly consistent.
   */
  list(
    owner: string,
    limit: number,
    after: bigint | undefined,
    signal?: AbortSignal,
  ): Promise<Plant[]>;
  /** Deletes a plant. Resolves to false if there was none. */
  remove(owner: string, id: bigint, signal?: AbortSignal): Promise<boolean>;
}

const { partition, sort } = plantKey;
const abortOptions = (signal: AbortSignal | undefined) => signal && { abortSignal: signal };

// Aliased, because DynamoDB reserves words like `name`.
const aliases = Object.fromEntries([sort, ...fieldNames].map((name) => [`#${name}`, name]));

export function plantStore(database: DynamoDBDocumentClient, table: string): PlantStore {
  const keyOf = (owner: string, id: bigint) => ({ [partition]: owner, [sort]: id });

  async function create(owner: string, plant: Plant, signal?: AbortSignal): Promise<Creation> {
    // The nonce tells the item of this call from an equal one of another call.
    const nonce = randomBytes(8);
    const put = new PutCommand({
      TableName: table,
      Item: { ...keyOf(owner, plant.id), ...contentOf(plant), nonce },
      ConditionExpression: 'attribute_not_exists(#id)',
      ExpressionAttributeNames: { '#id': sort },
    });
    /** Throws `UnknownOutcome` if the put may have taken effect. */
    async function putOnce(): Promise<'created' | 'taken'> {
      try {
        await database.send(put, abortOptions(signal));
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return 'taken';
        if (!(error instanceof UnknownOutcome)) throw error;
        const stored = await settle(error, owner, plant.id, signal);
        if (!(stored?.nonce instanceof Uint8Array && nonce.equals(stored.nonce))) throw error;
      }
      return 'created';
    }
    for (let tries = 0; tries < 2; tries += 1) {
      if ((await putOnce()) === 'created') return 'created';
      const stored = await read(owner, plant.id, signal);
      if (stored) return hasSameContent(storedPlant(stored), plant) ? 'unchanged' : 'conflict';
      // The plant was deleted a moment ago, so the id is free.
    }
    throw new Unavailable('A plant with this id came and went each time.');
  }

  async function remove(owner: string, id: bigint, signal?: AbortSignal): Promise<boolean> {
    try {
      const { Attributes } = await database.send(
        new DeleteCommand({ TableName: table, Key: keyOf(owner, id), ReturnValues: 'ALL_OLD' }),
        abortOptions(signal),
      );
      return Attributes !== undefined;
    } catch (error) {
      if (!(error instanceof UnknownOutcome) || error.mayStillArrive) throw error;
      // A plant that is there may be another caller's, created after this delete took effect.
      if (await settle(error, owner, id, signal)) throw error;
      return true;
    }
  }

  /**
   * Reads the item after a write whose outcome is unknown. The outcome stays unknown if that fails.
   */
  const settle = (unknown: UnknownOutcome, ...key: Parameters<typeof read>) =>
    read(...key).catch((cause) => {
      throw new UnknownOutcome(unknown.mayStillArrive, cause);
    });

  async function read(owner: string, id: bigint, signal: AbortSignal | undefined) {
    const { Item } = await database.send(
      new GetCommand({ TableName: table, Key: keyOf(owner, id), ConsistentRead: true }),
      abortOptions(signal),
    );
    return Item;
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
          ProjectionExpression: Object.keys(aliases).join(', '),
          ExpressionAttributeNames: { '#owner': partition, ...aliases },
          ExpressionAttributeValues: { ':owner': owner, ...range.values },
          ConsistentRead: true,
          Limit: limit - plants.length,
          ...(next && { ExclusiveStartKey: next }),
        }),
        abortOptions(signal),
      );
      for (const item of page.Items ?? []) plants.push(storedPlant(item));
      next = page.LastEvaluatedKey; // DynamoDB ends a page at 1 MB.
    } while (next && plants.length < limit);
    return plants;
  }

  return { create, list, remove };
}
