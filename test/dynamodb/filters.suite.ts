import { DynamoDBDocumentClient, NumberValue, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { expect, jest, test } from '@jest/globals';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { formatCursor } from '../../functions/plants/page.ts';
import { type Operation, operations } from '../../functions/shared/operations.ts';
import { functionVariables } from '../../lib/local/runtime/functions.ts';
import { queryParameters } from '../contract/query-parameters.ts';
import { makeItem } from '../support/plant.ts';
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
  const wrong: object[] = [];
  let query: QueryCommandInput | undefined;
  const isFiltered = () => query?.FilterExpression !== undefined;
  const send = jest.spyOn(DynamoDBDocumentClient.prototype, 'send');
  send.mockImplementation(async ({ input }, options) => {
    query = input as QueryCommandInput;
    const { ConsistentRead, ExclusiveStartKey: start } = query;
    const { abortSignal } = Object(options);
    // Each query goes on where the one before ended.
    const isNext = Number(start?.id?.value ?? 0) === pages;
    if (!(isNext && ConsistentRead === true && abortSignal instanceof AbortSignal)) {
      wrong.push({ page: pages + 1, input, abortSignal });
    }
    pages += 1;
    if (pages > 10) {
      throw new Error('This is the eleventh page.');
    }
    const id = NumberValue.from(pages);
    const Items = pages === 1 ? [unmarshall(makeItem('alice', 1n), { wrapNumbers: true })] : [];
    return { Items, ...(isFiltered() && { LastEvaluatedKey: { owner: 'alice', id } }) };
  });
  const { handler } = await import(`../../functions/${operations[row.operation].entry}.ts`);
  const find = (value: string): Promise<APIGatewayProxyResult> => {
    pages = 0;
    const event = operationEvent(row.operation, { query: { [row.name]: [value] } });
    return handler(event, lambdaContext());
  };
  const { statusCode, headers } = await find(row.value);
  expect({ statusCode, hasLink: headers?.Link !== undefined }).toEqual({
    statusCode: 200,
    hasLink: isFiltered(),
  });
  if (isFiltered()) {
    // Blanks at both ends, and a letter whose accent is a character of its own.
    const text = ` ${row.value} &=+%#?>e\u0301 `;
    const { Link } = (await find(text)).headers ?? {};
    expect(Object.values(query?.ExpressionAttributeValues ?? {})).toContain(text);
    const [, next] = /^<[!-~]+\?([!-~]+)>; rel="next"$/.exec(`${Link}`) ?? [];
    const { [row.name]: kept, cursor } = Object.fromEntries(new URLSearchParams(next));
    expect({ kept, cursor }).toEqual({ kept: text, cursor: formatCursor(BigInt(pages)) });
  }
  expect(wrong).toEqual([]);
});
