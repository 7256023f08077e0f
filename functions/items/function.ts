import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { attributeOf } from '../dynamodb/attribute.ts';
import { connect, requiredVariable } from '../dynamodb/client.ts';
import { prime } from '../dynamodb/prime.ts';
import { exercisePipeline } from '../http/exercise.ts';
import type { InputSchema } from '../http/input.ts';
import { type OperationHandler, operation, type Run } from '../http/operation.ts';
import { tableVariable } from '../shared/environment-variables.ts';
import type { TableName } from '../shared/table-schema.ts';
import type { Fields } from './fields.ts';
import type { Item, Kind } from './item.ts';
import { type ItemStore, itemStore } from './store.ts';

interface LambdaFunction {
  handler: OperationHandler;
  /** Called by start.mjs (lib/bundle.ts) while Lambda initializes the function. */
  prime(): Promise<void>;
}

interface StoreFunction<Store, S extends InputSchema> {
  /** Opens the store. `nameOf` returns the name of a table that the operation's row names. */
  open(database: DynamoDBDocumentClient, nameOf: (table: TableName) => string): Store;
  /** Attributes of an item, beside the partition, as the table may hold it. */
  stored: Record<string, unknown>;
  input: S;
  run(store: Store): Run<S>;
  /** Calls the store as the operation does. */
  warmUp(store: Store): Promise<unknown>;
}

/**
 * Makes the Lambda function of an operation on a store. Its `prime` lets `warmUp` call the store
 * over a connection in memory. Only requests call the operation.
 */
export function storeFunction<Store, S extends InputSchema>({
  open,
  stored,
  input,
  run,
  warmUp,
}: StoreFunction<Store, S>): LambdaFunction {
  const database = connect();
  const store = open(database, (table) => requiredVariable(tableVariable(table)));
  const handler = operation(input, run(store));

  const item = Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [name, attributeOf(value)]),
  );
  // What DynamoDB answers to any command that works.
  const answer = { Items: [item], Item: item, Attributes: item };

  const exercise = async (context: Context) => {
    await exercisePipeline(context);
    await warmUp(store);
  };
  return { handler, prime: () => prime(database, answer, exercise) };
}

/** Makes the Lambda function of an operation on items. */
export function itemFunction<F extends Fields, S extends InputSchema>(
  kind: Kind<F>,
  input: S,
  run: (store: ItemStore<Item<F>>) => Run<S>,
  warmUp: (store: ItemStore<Item<F>>, example: Item<F>) => Promise<unknown>,
): LambdaFunction {
  const example = { ...kind.example, id: 0n };
  return storeFunction({
    open: (database, nameOf) => itemStore(kind, database, nameOf(kind.table)),
    stored: kind.toStored(example),
    input,
    run,
    warmUp: (store) => warmUp(store, example),
  });
}
