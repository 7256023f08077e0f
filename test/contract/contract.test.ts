import { globSync } from 'node:fs';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { operationNames, operations } from '../../functions/shared/operations.ts';
import { responsesOf } from '../support/openapi/description.ts';
import { list, removeAll, target } from './api-client.ts';
import { demandedOf, shown } from './demands.ts';
import { settled } from './settled.ts';

// In this file, because they share one service.
for (const part of globSync('parts/*.ts', { cwd: import.meta.dirname }).sort()) {
  await import(`./${part}`);
}

const leftOut = [
  'calls that the gateway refuses (401, 403, 404, 413), because SAM CLI has its own answers',
  'bodies that are not UTF-8, because SAM CLI fails (502) before it calls a function',
  'two Content-Types, because SAM CLI passes only one header of a name on',
  'an Authorization with white space around it, because SAM CLI does not take it off',
  'a list of more than 1000 plants, because SAM CLI would take long for it',
];

const lists = async () => [(await list()).body, (await list('', target.otherToken)).body];
if (`${await lists()}` !== '[],[]') {
  throw new Error(
    'The owners of the tokens have plants already: give tokens of two owners without any.',
  );
}

afterEach(removeAll);

/** Returns what no call of the parts has shown, and what to do about it. */
const lackOf = (demanded: string[]): string[] =>
  demanded
    .filter((one) => !shown.has(one))
    .map((one) => `${one} in no test of its own: add one to test/contract/parts`);

// The imported parts have run before.
test('every part of a request has been accepted and refused, and stands in the links', () => {
  expect(lackOf(operationNames.flatMap(demandedOf))).toEqual([]);
});

if (!target.isSam) {
  test('every operation has been answered with each of its statuses', () => {
    const demanded = operationNames.flatMap((name) => {
      // No request may cause these, and no token of the suite lacks the scope to read.
      const excluded = [429, 500, 503, ...(operations[name].scope === 'plants:read' ? [403] : [])];
      const statuses = Object.keys(responsesOf(name)).filter((one) => !excluded.includes(+one));
      return statuses.map((status) => `${name} answers ${status}`);
    });
    expect(lackOf(demanded)).toEqual([]);
  });
}

afterAll(async () => {
  // A service that goes on would keep jest from ending.
  const left = await lists().finally(target.stop);
  const lines = target.isSam ? leftOut.map((line) => `Left out: ${line}`) : settled;
  if (process.env.CONTRACT_TARGET) {
    process.stdout.write(`${lines.join('\n')}\n`);
  }
  expect(left).toEqual(['[]', '[]']);
});
