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
import type { Fields } from './fields.ts';
import type { Item, Kind } from './item.ts';

export type Creation = 'created' | 'unchanged' | 'conflict';

/**
 * The items of all owners. A call names the one owner whose items it can see, and rejects with the
 * SDK's errors, or with `UnknownOutcome` if it may have taken effect. A signal ends it early.
 */
export interface ItemStore<T> {
  /**
   * Stores an item if its id is free. The same item again changes nothing. Another item under its
   * id is a conflict.
   */
  create(owner: string, item: T, signal?: AbortSignal): Promise<Creation>;
  /**
   * Returns at most `limit` items, in ascending order of their ids, from the first one above
   * `after` on. The read is strongly consistent.
   */
  list(owner: string, limit: number, after: bigint | undefined, signal?: AbortSignal): Promise<T[]>;
  /** Deletes an item. Resolves to false if there was none. */
  remove(owner: string, id: bigint, signal?: AbortSignal): Promise<boolean>;
}

/** What the table holds of an item. */
type StoredItem = Record<string, unknown>;

const partition = 'owner';
const sort = 'id';
const belowAllIds = -(2n ** 63n) - 1n;
const abortOptions = (signal: AbortSignal | undefined) => signal && { abortSignal: signal };

export function itemStore<F extends Fields>(
  kind: Kind<F>,
  database: DynamoDBDocumentClient,
  table: string,
): ItemStore<Item<F>> {
  const keyOf = (owner: string, id: bigint) => ({ [partition]: owner, [sort]: id });
  // Aliased, because DynamoDB reserves words like `name`.
  const aliases = Object.fromEntries([sort, ...kind.fieldNames].map((name) => [`#${name}`, name]));

  async function create(owner: string, item: Item<F>, signal?: AbortSignal): Promise<Creation> {
    // The nonce tells the item of this call from an equal one of another call.
    const nonce = randomBytes(8);
    const put = new PutCommand({
      TableName: table,
      Item: { ...kind.toStored(item), ...keyOf(owner, item.id), nonce },
      ConditionExpression: `attribute_not_exists(#${sort})`,
      ExpressionAttributeNames: { [`#${sort}`]: sort },
    });
    /** Throws `UnknownOutcome` if the put may have taken effect. */
    async function putOnce(): Promise<'created' | 'taken'> {
      try {
        await database.send(put, abortOptions(signal));
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) {
          return 'taken';
        }
        if (!(error instanceof UnknownOutcome)) {
          throw error;
        }
        const stored = await settle(error, owner, item.id, signal);
        if (!(stored?.nonce instanceof Uint8Array && nonce.equals(stored.nonce))) {
          throw error;
        }
      }
      return 'created';
    }
    for (let tries = 0; tries < 2; tries += 1) {
      if ((await putOnce()) === 'created') {
        return 'created';
      }
      const stored = await read(owner, item.id, signal);
      if (stored) {
        return kind.isSame(kind.parse(stored), item) ? 'unchanged' : 'conflict';
      }
      // The item was deleted a moment ago, so the id is free.
    }
    throw new Unavailable(`A ${kind.name} with this id came and went each time.`);
  }

  async function remove(owner: string, id: bigint, signal?: AbortSignal): Promise<boolean> {
    try {
      const { Attributes } = await database.send(
        new DeleteCommand({ TableName: table, Key: keyOf(owner, id), ReturnValues: 'ALL_OLD' }),
        abortOptions(signal),
      );
      return Attributes !== undefined;
    } catch (error) {
      if (!(error instanceof UnknownOutcome) || error.mayStillArrive) {
        throw error;
      }
      // An item that is there may be another caller's, created after this delete took effect.
      if (await settle(error, owner, id, signal)) {
        throw error;
      }
      return true;
    }
  }

  /**
   * Reads the item after a write whose outcome is unknown. The outcome stays unknown if that fails.
   */
  function settle(
    unknown: UnknownOutcome,
    owner: string,
    id: bigint,
    signal: AbortSignal | undefined,
  ): Promise<StoredItem | undefined> {
    return read(owner, id, signal).catch((cause) => {
      throw new UnknownOutcome(unknown.mayStillArrive, cause);
    });
  }

  async function read(
    owner: string,
    id: bigint,
    signal: AbortSignal | undefined,
  ): Promise<StoredItem | undefined> {
    const get = { TableName: table, Key: keyOf(owner, id), ConsistentRead: true };
    const { Item } = await database.send(new GetCommand(get), abortOptions(signal));
    return Item;
  }

  async function list(
    owner: string,
    limit: number,
    after = belowAllIds,
    signal?: AbortSignal,
  ): Promise<Item<F>[]> {
    const items: Item<F>[] = [];
    let next: StoredItem | undefined;
    do {
      const page = await database.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: `#${partition} = :owner AND #${sort} > :after`,
          ProjectionExpression: Object.keys(aliases).join(', '),
          ExpressionAttributeNames: { [`#${partition}`]: partition, ...aliases },
          ExpressionAttributeValues: { ':owner': owner, ':after': after },
          ConsistentRead: true,
          Limit: limit - items.length,
          ...(next && { ExclusiveStartKey: next }),
        }),
        abortOptions(signal),
      );
      for (const item of page.Items ?? []) {
        items.push(kind.parse(item));
      }
      next = page.LastEvaluatedKey; // DynamoDB ends a page at 1 MB.
    } while (next && items.length < limit);
    return items;
  }

  return { create, list, remove };
}
