import { expect, test } from '@jest/globals';
import { type Operation, operations } from '../../functions/shared/operations.ts';
import { findOperation, findPlaces } from '../support/openapi/description.ts';
import { makeBody, makeFields } from '../support/plant.ts';
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

/** Texts with a length in the document. Cursors have none. */
const texts = rows.filter(({ operation, name }) =>
  findOperation(operation).parameters?.some(
    (one) => one.name === name && one.schema.maxLength !== undefined,
  ),
);
if (texts.length > 0) {
  test.each(texts)('$operation with $name finds $good, and no text like it', async (row) => {
    await create(makeBody(8));
    const good = decodeURIComponent(row.good);
    const find = async (text: string) =>
      (
        await ask(
          `${makeLine(operations[row.operation])}?${new URLSearchParams({ [row.name]: text })}`,
        )
      ).json;
    expect(await find(good)).toEqual([makeFields()]);
    const others = [good.slice(0, -1), good.slice(1), `${good}x`, good.toLowerCase()];
    for (const text of others.filter((one) => one !== good)) {
      expect([text, await find(text)]).toEqual([text, []]);
    }
  });
}

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
