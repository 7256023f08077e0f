import { expect, test } from '@jest/globals';
import { isLogCode, logCodes } from '../../functions/shared/log-codes.ts';
import { operations } from '../../functions/shared/operations.ts';

test('log codes never change, because metric filters and queries name them', () => {
  const codes = [
    ...['REQUEST_REFUSED', 'DATABASE_UNAVAILABLE', 'REQUEST_FAILED'],
    ...['TOKEN_ACCEPTED', 'TOKEN_REFUSED', 'AUTHORIZER_FAILED', 'WARM_UP_FAILED'],
  ];
  expect(logCodes).toEqual(codes);
  const successes = Object.values(operations).map((operation) => operation.successes);
  expect(successes).toEqual([
    { 201: 'PLANT_CREATED', 200: 'PLANT_UNCHANGED' },
    { 200: 'PLANTS_LISTED' },
    { 204: 'PLANT_DELETED' },
  ]);
  const all = [...codes, ...successes.flatMap((codes) => Object.values<string>(codes))];
  expect(all.filter((code) => !isLogCode(code))).toEqual([]);
  expect(['toString', 'plant_created', ''].filter(isLogCode)).toEqual([]);
});
