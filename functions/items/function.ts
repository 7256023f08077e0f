import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { attributeOf } from '../dynamodb/attribute.ts';
import { connect, requiredVariable } from '../dynamodb/client.ts';
import { prime } from '../dynamodb/prime.ts';
import type { InputSchema } from '../http/input.ts';
import { operation, type Run } from '../http/operation.ts';
import { tableVariables } from '../shared/environment-variables.ts';
import type { Fields } from './fields.ts';
import type { Item, Kind } from './item.ts';
import { type ItemStore, itemStore } from './store.ts';

/**
 * Makes the Lambda function of an operation on items: its handler, and `prime`, which start.mjs
 * (lib/bundle.ts) calls while Lambda initializes the function. It calls the handler with `example`,
 * a request that works.
 */
export function itemFunction<F extends Fields, S extends InputSchema>(
  kind: Kind<F>,
  input: S,
  run: (store: ItemStore<Item<F>>) => Run<S>,
  example: Partial<APIGatewayProxyEvent>,
) {
  const database = connect();
  const table = requiredVariable(tableVariables[kind.table]);
  const handler = operation(input, run(itemStore(kind, database, table)));
  const requestContext = { authorizer: { owner: '-' }, path: '/' };
  const exercise = async (context: Context) => {
    const event = { multiValueHeaders: {}, ...example, requestContext } as object;
    const { statusCode, body } = await handler(event as APIGatewayProxyEvent, context);
    if (statusCode >= 400) throw new Error(`The example was answered with ${statusCode}: ${body}`);
  };
  const stored = kind.toStored({ ...kind.example, id: 0n });
  const item = Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [name, attributeOf(value)]),
  );
  // What DynamoDB answers to any command that works.
  const answer = { Items: [item], Item: item, Attributes: item };
  return { handler, prime: () => prime(database, answer, exercise) };
}
