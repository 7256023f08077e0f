import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { required } from '../items/fields.ts';
import { int64, text } from '../items/kinds.ts';
import { operation } from './operation.ts';

const input = { body: { id: required(int64()), text: required(text(1, 1)) } };

/** It answers at once. */
const example = operation(input, async ({ body: { text } }) => {
  return { code: 'PRIMED', status: 200, body: { text } };
});

/**
 * Runs the pipeline of all operations with an operation of its own, so that theirs are called by
 * requests only. Throws if a middleware fails.
 */
export async function exercisePipeline(context: Context): Promise<void> {
  const event = {
    multiValueHeaders: { 'Content-Type': ['application/json'] },
    body: '{"id": 0, "text": "-"}',
    requestContext: { authorizer: { owner: '-' }, path: '/' },
  } as object;
  const { statusCode, body } = await example(event as APIGatewayProxyEvent, context);
  if (statusCode !== 200) {
    throw new Error(`The pipeline answered its example with ${statusCode}: ${body}`);
  }
}
