import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { example } from '../../bin/command-line/example.ts';
import { jest } from '../support/jest/arguments.ts';
import { type StoredRow, topics } from '../support/report/row.ts';
import { publish } from './pages.ts';

const program = new Command('npm run proof --')
  .description('Proves what docs/evidence.md claims. A run of the whole writes the page anew.')
  .argument('[arguments...]', 'for jest, to run a part: paths, or -t and words of a name')
  .allowUnknownOption()
  .addHelpText('after', example('npm run proof -- test/evidence/proof/crashes'))
  .parse();

const folder = mkdtempSync(join(tmpdir(), 'plant-store-proof-'));
const rowsFile = join(folder, 'rows');
process.env.PROOF ??= '1';
process.env.PROOF_ROWS = rowsFile;

interface Run {
  status: number | null;
  tests: { status: string; fullName: string }[];
}

function runJest(workers: number, ...args: string[]): Run {
  const results = join(folder, `results-${workers}`);
  // Without this pattern, jest leaves out what `npm test` does.
  const command = [...jest, '--testMatch=<rootDir>/test/**/*.test.ts', `--maxWorkers=${workers}`];
  // Jest takes what follows a list of paths for more of them, unless it begins with a hyphen.
  const writing = ['--json', `--outputFile=${results}`, '--passWithNoTests', '--verbose'];
  const run = spawnSync(process.execPath, [...command, ...writing, ...args], { stdio: 'inherit' });
  if (!existsSync(results)) {
    return { status: 1, tests: [] };
  }
  const { testResults } = JSON.parse(readFileSync(results, 'utf8'));
  const ofFile = ({ assertionResults }: { assertionResults: Run['tests'] }) => assertionResults;
  return { status: run.status, tests: testResults.flatMap(ofFile) };
}

const given = program.args;
const tried = ['test/evidence/proof', 'test/faults', 'test/fuzz'];
const namesFile = given.some((argument) => argument.startsWith('test/'));
// This measures, so it runs after the others, on a machine that does nothing else.
const load = 'test/evidence/proof/load';
const startedAt = performance.now();
const runs =
  given.length > 0
    ? [runJest(1, ...(namesFile ? [] : tried), ...given)]
    : [runJest(2, ...tried, `--testPathIgnorePatterns=${load}`), runJest(1, load)];
const minutes = Math.round((performance.now() - startedAt) / 60_000);

const lines = existsSync(rowsFile) ? readFileSync(rowsFile, 'utf8').trim().split('\n') : [];
const fileOf = ({ command }: StoredRow) => command.replace(/ -t .*/, '');
// Suites end in a random order, which would hide in a diff what has changed.
const rows = lines
  .map((line): StoredRow => JSON.parse(line))
  .sort((a, b) => fileOf(a).localeCompare(fileOf(b)));
rmSync(folder, { recursive: true });

const reason = whyNotPublished();
if (reason) {
  console.log(`docs/evidence.md is as it was, because ${reason}.`);
} else {
  const date = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} cores of ${cpus()[0]?.model.trim()}`;
  publish('proof', { date, machine, node: process.version, minutes, rows });
  console.log(`docs/evidence.md has the figures of this run, which took ${minutes} minutes.`);
}
if (runs.some(({ status }) => status !== 0)) {
  process.exitCode = 1;
}

function whyNotPublished(): string | undefined {
  if (runs.some(({ status }) => status !== 0)) {
    return 'a test failed';
  }
  if (given.length > 0) {
    return 'only a part of the proof ran';
  }
  if (Number(process.env.PROOF) !== 1) {
    return `the share of the cases was ${process.env.PROOF}`;
  }
  const tests = runs.flatMap((run) => run.tests);
  const skipped = tests.filter(({ status }) => !['passed', 'failed'].includes(status));
  if (skipped.length > 0) {
    return `tests were skipped (${skipped.map(({ fullName }) => fullName).join('; ')})`;
  }
  const missing = topics.filter((topic) => !rows.some((row) => row.topic === topic));
  return missing.length > 0 ? `nothing was reported about: ${missing.join(', ')}` : undefined;
}
