import { test } from '@jest/globals';

/** Returns Jest's `test`. On Windows, it skips the tests and prints the reason. */
export function testOnPosix(reason: string): typeof test | typeof test.skip {
  if (process.platform !== 'win32') {
    return test;
  }
  process.stderr.write(`Some tests are skipped on Windows, because ${reason}.\n`);
  return test.skip;
}
