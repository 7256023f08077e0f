import { createEmptyTestResult } from '@jest/test-result';
import circus from 'jest-circus/runner';

/** The names of the tests of a file, by its path, if a change has run it. */
const namesIn = new Map();
let change;
let isNoticed = false;

/**
 * Runs the tests of a file. Stryker loads every file for every change, which takes most of the
 * time, so leave out a file without a test that Stryker asks for, and every file after a failure.
 * Stryker demands that this file's name has `jest-circus` in it.
 */
export default async function run(globalConfig, config, environment, runtime, path, ...rest) {
  const active = process.env.__STRYKER_ACTIVE_MUTANT__;
  if (active !== change) {
    change = active;
    isNoticed = false;
  }
  const asked = new RegExp(globalConfig.testNamePattern ?? '', 'i');
  const isAsked = namesIn.get(path)?.some((name) => asked.test(name)) ?? true;
  if (change !== undefined && (isNoticed || !isAsked)) {
    return skipped(path);
  }
  const result = await circus.default(globalConfig, config, environment, runtime, path, ...rest);
  if (result.testResults.length > 0) {
    namesIn.set(
      path,
      result.testResults.map(({ fullName }) => fullName),
    );
  }
  isNoticed = result.numFailingTests > 0 || result.testExecError !== undefined;
  return result;
}

/** Returns the result of a file that was left out. Jest fails for a file without any test. */
function skipped(path) {
  const test = { ancestorTitles: [], title: path, fullName: path, status: 'pending' };
  const empty = { failureMessages: [], failureDetails: [], numPassingAsserts: 0 };
  return {
    ...createEmptyTestResult(),
    numPendingTests: 1,
    testResults: [{ ...test, ...empty }],
  };
}
