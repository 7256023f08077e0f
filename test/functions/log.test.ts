import { expect, test } from '@jest/globals';
import { logInfo, quietly } from '../../functions/log.ts';
import { capturedLog } from '../support/captured-log.ts';

const lines = capturedLog();

test('what prepares a function logs nothing, and what follows is logged', async () => {
  await quietly(async () => logInfo('PLANTS_LISTED', {}));
  logInfo('PLANT_CREATED', { status: 201 });
  expect(lines).toEqual([{ code: 'PLANT_CREATED', status: 201 }]);
});

test('what prepares a function and fails is logged, and does not throw', async () => {
  await quietly(() => Promise.reject(new Error('no region')));
  logInfo('PLANT_CREATED', { status: 201 });
  expect(lines).toEqual([
    { code: 'PRIMING_FAILED', cause: expect.objectContaining({ message: 'no region' }) },
    { code: 'PLANT_CREATED', status: 201 },
  ]);
});
