import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
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

/** Runs a test file of the copy. Throws if it does not end, because a hang names no test. */
async function run(suite: string): Promise<Outcome> {
  // The copy has no packages of CI, which bring the other engine.
  const { PROOF, REPLAY, ALL_ENGINES, ...env } = process.env;
  const results = join(copy, 'results.json');
  rmSync(results, { force: true });
  const writing = ['--json', `--outputFile=${results}`];
  const child = spawn(
    process.execPath,
    [...jest, '--runInBand', ...writing, '--runTestsByPath', suite],
    { cwd: copy, env, stdio: ['ignore', 'ignore', 'pipe'], timeout: 300_000 },
  );
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (code === null) throw new Error(`${suite} did not end within five minutes:\n${output}`);
  const { testResults } = JSON.parse(readFileSync(results, 'utf8')) as {
    testResults: { assertionResults: { status: string; fullName: string }[] }[];
  };
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'failed')
    .map(({ fullName }) => fullName);
  return { passed: code === 0, failed, output };
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
    const faulty = changes.reduce((before, [part, instead]) => {
      expect(before.split(part)).toHaveLength(2);
      return before.replace(part, () => instead);
    }, source);
    writeFileSync(join(copy, 'functions', file), faulty);
    const { passed, failed, output } = await run(suite).finally(() =>
      writeFileSync(join(copy, 'functions', file), source),
    );
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
