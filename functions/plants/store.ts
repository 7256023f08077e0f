import { randomBytes } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
} from '@aws-sdk/lib-dynamodb';
import { requireStoredItem } from '../dynamodb/client.ts';
import { UnknownOutcome } from '../dynamodb/errors.ts';
import { int64 } from '../shared/int64.ts';
import { isSamePlant, type Plant, parsePlant, plantMembers } from './plant.ts';

export type Creation = 'created' | 'unchanged' | 'conflict';

interface Options {
  abortSignal?: AbortSignal;
}

/**
 * The plants of all owners. A call sees the plants of one owner only. It rejects with the SDK's
 * errors, or with `UnknownOutcome` if a write may have taken effect.
 */
export interface PlantStore {
  /** Stores a plant if its id is free. An equal plant is `unchanged`, another one a `conflict`. */
  create(owner: string, plant: Plant, options?: Options): Promise<Creation>;
  /**
   * Returns at most `limit` plants with ids above `after`, in ascending order of their ids. The
   * read is strongly consistent.
   */
  list(owner: string, limit: number, after?: bigint, options?: Options): Promise<Plant[]>;
  /** Deletes a plant. Returns false if there was none. */
  remove(owner: string, id: bigint, options?: Options): Promise<boolean>;
}

type StoredPlant = Record<string, unknown>;

/** Names in expressions stand for attributes, because DynamoDB reserves `owner` and `name`. */
const attributeNames = Object.fromEntries(
  ['owner', ...plantMembers].map((name) => [`#${name}`, name]),
);

export function plantStore(database: DynamoDBDocumentClient, table: string): PlantStore {
  async function create(owner: string, plant: Plant, options: Options = {}): Promise<Creation> {
    // The nonce distinguishes this call's item from an equal item of another call.
    const item = { owner, ...plant, nonce: randomBytes(8) };
    const put = new PutCommand({
      TableName: table,
      Item: item,
      ConditionExpression: 'attribute_not_exists(#id)',
      ExpressionAttributeNames: { '#id': 'id' },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      await database.send(put, options);
      return 'created';
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) {
        const stored = parsePlant(requireStoredItem(error));
        return isSamePlant(stored, plant) ? 'unchanged' : 'conflict';
      }
      if (!(error instanceof UnknownOutcome)) {
        throw error;
      }
      const stored = await settle(error, owner, plant.id, options);
      if (!(stored?.nonce instanceof Uint8Array && item.nonce.equals(stored.nonce))) {
        throw error;
      }
      return 'created';
    }
  }

  async function list(
    owner: string,
    limit: number,
    after = int64.min - 1n,
    options: Options = {},
  ): Promise<Plant[]> {
    const plants: Plant[] = [];
    let next: StoredPlant | undefined;
    do {
      const query = new QueryCommand({
        TableName: table,
        KeyConditionExpression: '#owner = :owner AND #id > :after',
        ProjectionExpression: plantMembers.map((member) => `#${member}`).join(', '),
        ExpressionAttributeNames: attributeNames,
        ExpressionAttributeValues: { ':owner': owner, ':after': after },
        ConsistentRead: true,
        Limit: limit - plants.length,
        ...(next && { ExclusiveStartKey: next }),
      });
      const { Items = [], LastEvaluatedKey } = await database.send(query, options);
      for (const item of Items) {
        plants.push(parsePlant(item));
      }
      // DynamoDB ends a page at 1 MB.
      next = LastEvaluatedKey;
    } while (next && plants.length < limit);
    return plants;
  }

  async function remove(owner: string, id: bigint, options: Options = {}): Promise<boolean> {
    const deletion = new DeleteCommand({
      TableName: table,
      Key: { owner, id },
      ReturnValues: 'ALL_OLD',
    });
    try {
      const { Attributes } = await database.send(deletion, options);
      return Attributes !== undefined;
    } catch (error) {
      if (!(error instanceof UnknownOutcome) || error.mayStillArrive) {
        throw error;
      }
      // Another caller may have created this plant after the delete took effect.
      if (await settle(error, owner, id, options)) {
        throw error;
      }
      return true;
    }
  }

  /** Reads after a write whose outcome is unknown. It stays unknown if that fails. */
  async function settle(
    unknown: UnknownOutcome,
    owner: string,
    id: bigint,
    options: Options,
  ): Promise<StoredPlant | undefined> {
    try {
      return await readItem(owner, id, options);
    } catch (readError) {
      unknown.readError = readError;
      throw unknown;
    }
  }

  async function readItem(
    owner: string,
    id: bigint,
    options: Options,
  ): Promise<StoredPlant | undefined> {
    const get = new GetCommand({ TableName: table, Key: { owner, id }, ConsistentRead: true });
    const { Item } = await database.send(get, options);
    return Item;
  }

  return { create, list, remove };
}
