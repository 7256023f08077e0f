import { DynamoDBDocumentClient, NumberValue, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { expect, jest, test } from '@jest/globals';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { type Operation, operations } from '../../functions/shared/operations.ts';
import { functionVariables } from '../../lib/local/runtime/functions.ts';
import { queryParameters } from '../contract/query-parameters.ts';
import { operationEvent } from '../support/service/operation-event.ts';
import { lambdaContext } from '../support/service/proxy-event.ts';

const rows = Object.entries(queryParameters).flatMap(([operation, parameters]) =>
  Object.entries(parameters).map(([name, { good }]) => ({
    operation: operation as Operation,
    name,
    value: decodeURIComponent(good),
  })),
);

// A filter may leave nothing of a page. DynamoDB then still returns where the next page begins.
test.each(rows)('$operation?$name reads at most ten pages, and links to the next', async (row) => {
  Object.assign(process.env, functionVariables('http://127.0.0.1:9'));
  let pages = 0;
  let isFiltered = false;
  jest.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(async ({ input }) => {
    pages += 1;
    if (pages > 10) {
      throw new Error('This is the eleventh page.');
    }
    isFiltered = (input as QueryCommandInput).FilterExpression !== undefined;
    const id = NumberValue.from(pages);
    return { Items: [], ...(isFiltered && { LastEvaluatedKey: { owner: 'alice', id } }) };
  });
  const { handler } = await import(`../../functions/${operations[row.operation].entry}.ts`);
  const event = operationEvent(row.operation, { query: { [row.name]: [row.value] } });
  const { statusCode, headers }: APIGatewayProxyResult = await handler(event, lambdaContext());
  expect({ statusCode, hasLink: headers?.Link !== undefined }).toEqual({
    statusCode: 200,
    hasLink: isFiltered,
  });
});
