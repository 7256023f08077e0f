import { expect, test } from '@jest/globals';
import {
  type Operation,
  operationNames,
  operations,
} from '../../../functions/shared/operations.ts';
import { judgePath, judgeQuery } from '../../support/openapi/second-opinion.ts';
import { sent } from '../../support/plant.ts';
import { ask as askOne, type Call, json, target } from '../api-client.ts';

// What holds for every operation, by its row.

const ask = (line: string, more: Partial<Call>) =>
  askOne(line, { ...more, isOfEveryOperation: true });
const lineOf = (name: Operation, id = '7') =>
  `${operations[name].method} /${operations[name].path.replace('{id}', id)}`;

/** Calls an operation on the plant 7, with a body if it takes one. */
const send = (name: Operation, line = lineOf(name), more: Partial<Call> = {}) =>
  ask(line, { ...(name === 'createPlant' && { headers: [json], body: sent(7) }), ...more });

/** Texts that are no value of most parameters. */
const oddTexts = ['', ' ', '-', '01', '1.0', 'null', 'x'.repeat(300), '\0', '"', 'A'.repeat(12)];

test.each(['limit', 'cursor'])('a list refuses every wrong value of %s', async (parameter) => {
  const wrong = oddTexts.filter(
    (text) => 'places' in judgeQuery('listPlants', [[parameter, text]]),
  );
  expect(wrong).not.toEqual([]);
  for (const text of wrong) {
    const query = new URLSearchParams({ [parameter]: text });
    expect((await ask(`GET /plants?${query}`, {})).status).toBe(400);
  }
});

test('a delete refuses every wrong id in its path', async () => {
  const wrong = oddTexts
    .map(encodeURIComponent)
    .filter((text) => text && 'places' in judgePath('deletePlant', 'id', text));
  expect(wrong).not.toEqual([]);
  for (const text of wrong) {
    expect((await ask(lineOf('deletePlant', text), {})).status).toBe(400);
  }
});

test.each(operationNames)('%s refuses an unknown parameter of a query', async (name) => {
  expect((await send(name, `${lineOf(name)}?unknown=1`)).status).toBe(400);
});

test('a create refuses a body of another type, or one that is too large', async () => {
  expect((await ask('POST /plants', { body: '{}' })).status).toBe(415);
  const body = ' '.repeat(16_385);
  expect((await ask('POST /plants', { headers: [json], body })).status).toBe(413);
});

if (!target.isSam) {
  test.each(operationNames)('%s asks for its scope', async (name) => {
    const { status } = await ask(lineOf(name), { token: target.readToken });
    expect(status === 403).toBe(operations[name].scope !== 'plants:read');
  });
}

test.each(operationNames)('%s tells nothing about what another owner has', async (name) => {
  async function callAsOther(): Promise<[status: number, text: string]> {
    const reply = await send(name, lineOf(name), { token: target.otherToken });
    const { status, headers, body } = reply;
    return [status, body.replaceAll(headers['x-request-id'] ?? '', '')];
  }
  const removeAsOther = () =>
    send('deletePlant', lineOf('deletePlant'), { token: target.otherToken });
  const without = await callAsOther();
  await removeAsOther();
  await send('createPlant');
  expect(await callAsOther()).toEqual(without);
  await removeAsOther();
});
