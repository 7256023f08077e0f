import type { Context } from 'aws-lambda';
import { attributeOf } from '../dynamodb/attribute.ts';
import { connect, requiredVariable } from '../dynamodb/client.ts';
import { prime } from '../dynamodb/prime.ts';
import { exercisePipeline } from '../http/exercise.ts';
import type { InputSchema } from '../http/input.ts';
import { operation, type Run } from '../http/operation.ts';
import { tableVariables } from '../shared/environment-variables.ts';
import type { Fields } from './fields.ts';
import type { Item, Kind } from './item.ts';
import { type ItemStore, itemStore } from './store.ts';

/**
 * Makes the Lambda function of an operation on items: its handler, and `prime`, which start.mjs
 * (lib/bundle.ts) calls while Lambda initializes the function. `prime` lets `warmUp` call the store
 * over a connection in memory. Only requests call the operation.
 */
export function itemFunction<F extends Fields, S extends InputSchema>(
  kind: Kind<F>,
  input: S,
  run: (store: ItemStore<Item<F>>) => Run<S>,
  warmUp: (store: ItemStore<Item<F>>, example: Item<F>) => Promise<unknown>,
) {
  const database = connect();
  const table = requiredVariable(tableVariables[kind.table]);
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
