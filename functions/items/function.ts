import type { Context } from 'aws-lambda';
import { attributeOf } from '../dynamodb/attribute.ts';
import { connect, requiredVariable } from '../dynamodb/client.ts';
import { prime } from '../dynamodb/prime.ts';
import { exercisePipeline } from '../http/exercise.ts';
import type { InputSchema } from '../http/input.ts';
import { type OperationHandler, operation, type Run } from '../http/operation.ts';
import { tableVariable } from '../shared/environment-variables.ts';
import type { Fields } from './fields.ts';
import type { Item, Kind } from './item.ts';
import { type ItemStore, itemStore } from './store.ts';

interface LambdaFunction {
  handler: OperationHandler;
  /** Called by start.mjs (lib/bundle.ts) while Lambda initializes the function. */
  prime(): Promise<void>;
}

/**
 * Makes the Lambda function of an operation on items. Its `prime` lets `warmUp` call the store over
 * a connection in memory. Only requests call the operation.
 */
export function itemFunction<F extends Fields, S extends InputSchema>(
  kind: Kind<F>,
  input: S,
  run: (store: ItemStore<Item<F>>) => Run<S>,
  warmUp: (store: ItemStore<Item<F>>, example: Item<F>) => Promise<unknown>,
): LambdaFunction {
  const database = connect();
  const table = requiredVariable(tableVariable(kind.table));
  const store = itemStore(kind, database, table);
  const handler = operation(input, run(store));

  const example = { ...kind.example, id: 0n };
  const item = Object.fromEntries(
    Object.entries(kind.toStored(example)).map(([name, value]) => [name, attributeOf(value)]),
  );
  // What DynamoDB answers to any command that works.
  const answer = { Items: [item], Item: item, Attributes: item };

  const exercise = async (context: Context) => {
    await exercisePipeline(context);
    await warmUp(store, example);
  };
  return { handler, prime: () => prime(database, answer, exercise) };
}
