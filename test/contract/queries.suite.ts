import { expect, test } from '@jest/globals';
import { type Operation, operations } from '../../functions/shared/operations.ts';
import { findOperation, findPlaces } from '../support/openapi/description.ts';
import { makeBody } from '../support/plant.ts';
import { ask, create, makeLine } from './api-client.ts';
import { queryParameters } from './query-parameters.ts';

const rows = Object.entries(queryParameters).flatMap(([operation, parameters]) =>
  Object.entries(parameters).map(([name, values]) => ({
    operation: operation as Operation,
    name,
    ...values,
  })),
);

test.each(rows)('$operation takes $name=$good, and rejects $bad', async (row) => {
  const { operation, name, good, bad } = row;
  const line = makeLine(operations[operation]);
  expect((await ask(`${line}?${name}=${good}`)).status).not.toBe(400);
  for (const query of [`${name}=${bad}`, `${name}=${good}&${name}=${good}`]) {
    const response = await ask(`${line}?${query}`);
    expect([response.status, findPlaces(response.body)]).toEqual([400, [`?${name}`]]);
  }
});

const ofLists = rows.filter(
  ({ operation }) => findOperation(operation).responses[200]?.headers.Link !== undefined,
);
test.each(ofLists)('a Link of $operation keeps $name', async ({ operation, name, good }) => {
  for (const id of [8, 9]) {
    await create(makeBody(id));
  }
  const query = new URLSearchParams(`${name}=${good}`);
  query.set('limit', '1');
  const { headers } = await ask(`${makeLine(operations[operation])}?${query}`);
  const [, next] = /\?(.*)>/.exec(`${headers.link}`) ?? [];
  const kept = new URLSearchParams(next).getAll(name);
  expect(kept).toEqual([name === 'cursor' ? expect.any(String) : query.get(name)]);
});
