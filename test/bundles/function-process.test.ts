import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../support/cleanup.ts';
import { runFunction } from './function-process.ts';

test.each([
  ['throws', 'throw new Error("No bundle.");', /ended with 1, .*\n.*No bundle\./s],
  ['exits', 'process.exit(3);', /ended with 3, /],
  [
    'never loads',
    'await new Promise(() => {});',
    /ended with 13, .*\n.*unsettled top-level await/s,
  ],
])('a function that %s is reported with its exit code and stderr', async (_, source, message) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'start.mjs'), source);
  await expect(runFunction(folder)).rejects.toThrow(message);
});
