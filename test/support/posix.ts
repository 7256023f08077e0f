import { test } from '@jest/globals';

/**
 * Returns Jest's `test`. On Windows it leaves the tests out and says why, so that a reader of the
 * results knows what was not shown there.
 */
export function testOnPosix(reason: string): typeof test | typeof test.skip {
  if (process.platform !== 'win32') {
    return test;
  }
  process.stderr.write(`The tests leave out some on Windows, because ${reason}.\n`);
  return test.skip;
}
