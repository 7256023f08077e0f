import { expect, test } from '@jest/globals';
import { type Operation, operations } from '../../functions/shared/operations.ts';
import { findOperation, findPlaces } from '../support/openapi/description.ts';
import { makeBody, makeFields } from '../support/plant.ts';
import { ask, create, inParallel, makeLine } from './api-client.ts';
import { queryParameters } from './query-parameters.ts';
import { tested } from './tested-store.ts';

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

/** Parameters that choose plants by a text. */
const texts = rows.filter(({ operation, name }) =>
  findOperation(operation).parameters?.some(
    (one) => one.name === name && one.schema.type === 'string' && name !== 'cursor',
  ),
);
/** Differ from the usual ones in each text. */
const otherFields = Object.fromEntries(
  Object.entries(makeFields()).map(([name, value]) => [
    name,
    typeof value === 'string' ? `Other ${value}` : value,
  ]),
);
if (texts.length > 0) {
  test.each(texts)('$operation with $name finds $good of its owner, behind others', async (row) => {
    await create(makeBody(5), tested.otherToken);
    // With pages as short as the limit, a filter would send many commands.
    const others = Array.from({ length: 30 }, (_, id) => ({ id, ...otherFields }));
    await inParallel(others, (other) => create(JSON.stringify(other)));
    await inParallel([100, 101], (id) => create(makeBody(id)));
    const line = makeLine(operations[row.operation]);
    const find = (text: string) =>
      ask(`${line}?${new URLSearchParams({ [row.name]: text, limit: '1' })}`);
    const good = decodeURIComponent(row.good);
    const first = await find(good);
    expect(first.json).toEqual([makeFields()]);
    const [, next] = /\?(.*)>/.exec(`${first.headers.link}`) ?? [];
    const last = await ask(`${line}?${next}`);
    expect([last.json, last.headers.link]).toEqual([[makeFields()], undefined]);
    const similar = [good.slice(0, -1), good.slice(1), `${good}x`, good.toLowerCase()];
    for (const text of similar.filter((one) => one !== good)) {
      expect([text, (await find(text)).json]).toEqual([text, []]);
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
