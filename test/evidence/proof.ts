import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { example } from '../../bin/command-line/example.ts';
import { jest } from '../support/jest/arguments.ts';
import { type StoredRow, topics } from '../support/report/row.ts';
import { publish, tried } from './pages/proof-page.ts';

const program = new Command('npm run proof --')
  .description('Proves what docs/proof.md claims. A run of the whole writes the page anew.')
  .argument('[arguments...]', 'for jest, to run a part: paths, or -t and words of a name')
  .allowUnknownOption()
  .addHelpText('after', example('npm run proof -- test/evidence/slow/program'))
  .parse();

const folder = mkdtempSync(join(tmpdir(), 'plant-store-proof-'));
const rowsFile = join(folder, 'rows');
process.env.PROOF ??= '1';
process.env.PROOF_ROWS = rowsFile;

/** Without it, jest leaves out what `npm test` does. */
const everyTest = '--testMatch=<rootDir>/test/**/*.test.ts';

interface Run {
  passed: boolean;
  skipped: string[];
}

function runJest(workers: number, paths: string[], ignored: string[] = []): Run {
  const results = join(folder, `results-${workers}`);
  // Jest takes what follows a list of paths for more of them, unless it begins with a hyphen.
  const ignoring = ignored.map((path) => `--testPathIgnorePatterns=${path}`);
  const writing = ['--json', `--outputFile=${results}`, '--passWithNoTests', '--verbose'];
  const { status } = spawnSync(
    process.execPath,
    [...jest, everyTest, ...ignoring, `--maxWorkers=${workers}`, ...writing, ...paths],
    { stdio: 'inherit' },
  );
  if (!existsSync(results)) return { passed: false, skipped: [] };
  const { testResults } = JSON.parse(readFileSync(results, 'utf8')) as Results;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const skipped = tests.filter((test) => test.status !== 'passed' && test.status !== 'failed');
  return { passed: status === 0, skipped: skipped.map(({ fullName }) => fullName) };
}

interface Results {
  testResults: { assertionResults: { status: string; fullName: string }[] }[];
}

const given = program.args;
const namesFile = given.some((argument) => argument.startsWith('test/'));
// These measure, so they run one after the other, on a machine that does nothing else.
const alone = 'test/evidence/slow/measured';
const startedAt = performance.now();
const runs =
  given.length > 0
    ? [runJest(1, [...(namesFile ? [] : tried), ...given])]
    : [runJest(2, tried, [alone]), runJest(1, [alone])];
const minutes = Math.round((performance.now() - startedAt) / 60_000);

const rows: StoredRow[] = existsSync(rowsFile)
  ? readFileSync(rowsFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      // Suites end in a random order, which would hide in a diff what has changed.
      .sort((a, b) => fileOf(a).localeCompare(fileOf(b)))
  : [];
rmSync(folder, { recursive: true });

const reason = whyNotPublished();
if (reason !== undefined) console.log(`docs/proof.md is as it was, because ${reason}.`);
else {
  const [cpu] = cpus();
  const machine = `${cpus().length} cores of ${cpu?.model.trim()}`;
  const date = new Date().toISOString().slice(0, 10);
  publish('docs', { date, machine, node: process.version, minutes, rows });
  console.log(`docs/proof.md has the figures of this run, which took ${minutes} minutes.`);
}
if (runs.some(({ passed }) => !passed)) process.exitCode = 1;

function fileOf({ command }: StoredRow): string {
  return command.replace(/ -t .*/, '');
}

function whyNotPublished(): string | undefined {
  if (runs.some(({ passed }) => !passed)) return 'a test failed';
  if (given.length > 0) return 'only a part of the proof ran';
  if (Number(process.env.PROOF) !== 1) return `the share of the cases was ${process.env.PROOF}`;
  const skipped = runs.flatMap((run) => run.skipped);
  if (skipped.length > 0) return `tests were skipped (${skipped.join('; ')})`;
  const missing = topics.filter((topic) => !rows.some((row) => row.topic === topic));
  if (missing.length > 0) return `nothing was reported about: ${missing.join(', ')}`;
  return undefined;
}
