import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type * as v from 'valibot';
import { connect } from '../dynamodb/client.ts';
import { requiredVariable } from '../dynamodb/environment.ts';
import { prime } from '../dynamodb/prime.ts';
import type { Reply } from '../http/answer.ts';
import type { InputSchema } from '../http/input.ts';
import { type Caller, operation } from '../http/operation.ts';
import { environment } from '../shared/environment-variables.ts';
import { timeouts } from '../shared/timeouts.ts';
import { type PlantStore, plantStore } from './store.ts';

/** What DynamoDB answers to a Query, a PutItem or a DeleteItem that works. */
const plant = { id: { N: '0' }, name: { S: '-' } };
const answer = { Items: [plant], Attributes: plant };

/**
 * Makes the Lambda function of an operation on plants: its handler, and `prime`, which start.mjs
 * (lib/bundle.ts) calls while Lambda initializes the function. It calls the handler with `example`,
 * a request that works.
 */
export function plantFunction<S extends InputSchema>(
  input: S,
  run: (plants: PlantStore) => (input: v.InferOutput<S>, caller: Caller) => Promise<Reply>,
  example: Partial<APIGatewayProxyEvent>,
) {
  const database = connect();
  const handler = operation(
    input,
    run(plantStore(database, requiredVariable(environment.plantsTable))),
  );
  const requestContext = { authorizer: { owner: '-' }, path: '/' };
  const exercise = async () => {
    const event = {
      multiValueHeaders: {},
      ...example,
      requestContext,
    } as unknown as APIGatewayProxyEvent;
    const context = { getRemainingTimeInMillis: () => timeouts.function } as Context;
    const { statusCode, body } = await handler(event, context);
    if (statusCode >= 400) throw new Error(`The example was answered with ${statusCode}: ${body}`);
  };
  return { handler, prime: () => prime(database, answer, exercise) };
}
