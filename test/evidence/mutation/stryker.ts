import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../support/checkout.ts';

const here = import.meta.dirname;

/** A change of a source file, and whether the tests that Stryker ran noticed it. */
export interface Mutant {
  file: string;
  /** The declaration that it is in, its kind, and its number if others are alike. */
  name: string;
  /** The line that it begins in, and what stands there instead. */
  change: string;
  /** The whole file with the change. */
  source: string;
  isDetected: boolean;
}

interface Position {
  line: number;
  column: number;
}

/** The part of Stryker's JSON report that is read here. */
export interface Report {
  files: Record<string, { source: string; mutants: Reported[] }>;
}
interface Reported {
  id: string;
  mutatorName: string;
  replacement: string;
  status: string;
  location: { start: Position; end: Position };
}

/** What Stryker says of a change with which no test could run. */
const unloadable = ['CompileError', 'RuntimeError'];

/** These tests import the functions' files, so that Stryker can switch a change on in a test. */
export const unitTests = [
  'test/http/{input,json,operation}.test.ts',
  'test/{evidence/explorer,items,plants}/*.test.ts',
  'test/access-tokens/{authorizer,policy,token}.test.ts',
  'test/administration/administration.test.ts',
  'test/bundles/functions.test.ts',
];

/**
 * Changes the files that match the patterns in every way that Stryker knows, one change at a time,
 * and runs the unit tests on each. Texts are left as they are.
 */
export function mutate(patterns: string[]): Mutant[] {
  // Stryker needs TypeScript 5, so it has a lock file of its own.
  if (!existsSync(join(here, 'node_modules'))) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: here });
  }
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-mutation-'));
  try {
    const config = join(folder, 'stryker.config.json');
    const fileName = join(folder, 'report.json');
    writeFileSync(config, JSON.stringify(options(patterns, folder, fileName)));
    const stryker = join(here, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
    // Stryker tells a test by a variable which change to switch on.
    const env = { ...process.env, TEST_VARIABLES: '__STRYKER_' };
    execFileSync(process.execPath, [stryker, 'run', config], { cwd: root, env, stdio: 'inherit' });
    const report: Report = JSON.parse(readFileSync(fileName, 'utf8'));
    const all = Object.values(report.files).flatMap(({ mutants }) => mutants);
    const left = all.filter(({ status }) => unloadable.includes(status));
    // If there are many, a fault of the tests' set-up may be the cause.
    console.log(
      `${left.length} changes do not count, because no test can load the file with them.`,
    );
    return mutantsIn(report);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const options = (patterns: string[], tempDirName: string, fileName: string) => ({
  mutate: patterns,
  mutator: { excludedMutations: ['StringLiteral'] },
  plugins: ['@stryker-mutator/jest-runner'],
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: {
    projectType: 'custom',
    // Stryker fails if no test is related to a file.
    enableFindRelatedTests: false,
    config: {
      testMatch: unitTests.map((pattern) => `<rootDir>/${pattern}`),
      transform: { '\\.ts$': '<rootDir>/test/support/jest/strip-types.mjs' },
      extensionsToTreatAsEsm: ['.ts'],
      testRunner: '<rootDir>/test/evidence/mutation/jest-circus-runner.mjs',
      testSequencer: '<rootDir>/test/evidence/mutation/jest-sequencer.mjs',
    },
  },
  // Names no file, because Stryker would write its own version of tsconfig.json.
  tsconfigFile: 'none',
  concurrency: availableParallelism(),
  tempDirName,
  reporters: ['progress-append-only', 'json'],
  jsonReporter: { fileName },
  // A change that makes a loop endless is detected by this. A busy machine must not look like one.
  timeoutMS: 20_000,
  timeoutFactor: 10,
  // Jest holds on to the modules of every run.
  maxTestRunnerReuse: 100,
});

export function mutantsIn({ files }: Report): Mutant[] {
  return Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n');
    const offset = ({ line, column }: Position) =>
      lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0) + column - 1;
    const inOrder = mutants.toSorted((a, b) => Number(a.id) - Number(b.id));
    const alike = Map.groupBy(
      inOrder,
      ({ mutatorName, location }) => `${declarationOf(lines, location.start.line)}: ${mutatorName}`,
    );
    return [...alike].flatMap(([name, those]) =>
      those.flatMap(({ replacement, status, location: { start, end } }, i) => {
        if ([...unloadable, 'Ignored'].includes(status)) {
          return [];
        }
        return {
          file,
          name: those.length > 1 ? `${name} ${i + 1}` : name,
          change: `line ${start.line}: ${replacement.split('\n', 1)}`,
          source: source.slice(0, offset(start)) + replacement + source.slice(offset(end)),
          isDetected: ['Killed', 'Timeout'].includes(status),
        };
      }),
    );
  });
}

/** Returns the function that a line is in, or else the constant that is declared at the margin. */
function declarationOf(lines: string[], line: number): string {
  let margin = Number.POSITIVE_INFINITY;
  for (const text of lines.slice(0, line).reverse()) {
    const indent = text.search(/\S/);
    if (indent < 0 || indent >= margin) {
      continue;
    }
    const declaration = /^(?: *(?:export )?(?:async )?function |(?:export )?const )(\w+)/;
    const [, name] = declaration.exec(text) ?? [];
    if (name) {
      return name;
    }
    // The line above the end of a list of parameters belongs to the same declaration.
    margin = text[indent] === ')' ? indent + 1 : indent;
  }
  return 'file';
}
