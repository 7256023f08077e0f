import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { jest } from '../../jest.ts';
import { copyOfProject, project } from '../../local/project-copy.ts';
import { countOf, timeout } from '../check.ts';
import { report } from '../report.ts';
import { deliberateFaults } from './faults.ts';

interface Outcome {
  passed: boolean;
  /** The names of the tests that failed. */
  failed: string[];
  output: string;
}

let copy: string;
const outcomes = new Map<string, Outcome>();
beforeAll(() => {
  copy = copyOfProject();
  for (const name of ['test', 'docs']) cpSync(join(project, name), join(copy, name), options);
});
const options = { recursive: true };

/** Runs a test file of the copy. */
function run(suite: string): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  // The copy has no packages of CI, which bring the other engine.
  const { PROOF, REPLAY, ALL_ENGINES, ...env } = process.env;
  execFile(
    process.execPath,
    [...jest, '--runInBand', '--json', '--runTestsByPath', suite],
    { cwd: copy, env, maxBuffer: 1e8, timeout: 300_000 },
    (error, stdout, stderr) => {
      const [json = '{}'] = /^\{"numFailed.*$/m.exec(stdout) ?? [];
      const { testResults = [] } = JSON.parse(json) as {
        testResults?: { assertionResults: { status: string; fullName: string }[] }[];
      };
      const failed = testResults
        .flatMap(({ assertionResults }) => assertionResults)
        .filter(({ status }) => status === 'failed')
        .map(({ fullName }) => fullName);
      resolve({ passed: error === null, failed, output: stderr });
    },
  );
  return promise;
}

test.each(deliberateFaults.slice(0, countOf({ whole: deliberateFaults.length })))(
  '$what: $suite fails',
  async ({ what, file, changes, suite }) => {
    const startedAt = performance.now();
    // The suite fails because of the fault, and not in the copy anyway.
    const sound = outcomes.get(suite) ?? (await run(suite));
    outcomes.set(suite, sound);
    expect(sound).toMatchObject({ passed: true });

    const source = readFileSync(join(project, 'functions', file), 'utf8');
    const faulty = changes.reduce((text, [part, instead]) => {
      expect(text.split(part)).toHaveLength(2);
      return text.replace(part, () => instead);
    }, source);
    writeFileSync(join(copy, 'functions', file), faulty);
    const { passed, failed, output } = await run(suite);
    writeFileSync(join(copy, 'functions', file), source);
    expect(passed).toBe(false);
    expect(output).not.toMatch(/SyntaxError|Build failed/);
    const [first = 'its search for secrets in the log'] = failed;
    const outcome = `Caught by \`${suite.replace('.test.ts', '')}\`: ${first}.`;
    report(
      { topic: 'Deliberate faults', tried: what, count: 1, unit: 'fault', outcome },
      startedAt,
    );
  },
  timeout,
);
