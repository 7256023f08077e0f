import { expect, test } from '@jest/globals';
import { isLogCode, logCodes } from '../../functions/shared/log-codes.ts';
import { type Operation, operations } from '../../functions/shared/operations.ts';
import { published } from '../support/service/published.ts';

const operationNames = Object.keys(operations) as Operation[];

test('log codes never change, because metric filters and queries name them', () => {
  const codes = [
    ...['REQUEST_REFUSED', 'DATABASE_UNAVAILABLE', 'REQUEST_FAILED'],
    ...['TOKEN_ACCEPTED', 'TOKEN_REFUSED', 'AUTHORIZER_FAILED', 'WARM_UP_FAILED'],
  ];
  expect(logCodes).toEqual(codes);
  const successes = operationNames.map((name) => operations[name].successes);
  expect(successes).toEqual(operationNames.map((name) => published[name].successes));
  const all = [...codes, ...successes.flatMap((codes) => Object.values<string>(codes))];
  expect(all.filter((code) => !isLogCode(code))).toEqual([]);
  expect(['toString', 'plant_created', ''].filter(isLogCode)).toEqual([]);
});
