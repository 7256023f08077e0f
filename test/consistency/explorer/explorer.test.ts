import { expect, test } from '@jest/globals';
import { explore } from './run-explorer.ts';

test('every schedule of two calls and one fault holds the contract', async () => {
  const { code, output } = await explore('--two-calls');
  process.stdout.write(output);
  expect({ code, output }).toEqual({
    code: 0,
    output: expect.stringMatching(/^[1-9]\d{2,} schedules of 20 scenarios hold the contract\.\n$/),
  });
});
