// Stryker's settings for one room of the product. CONTRIBUTING.md has the commands.
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };

/**
 * The files of each room, the folders of its tests, and the percentage of mutants that these tests
 * must notice. Mutants that only a thread or a program runs count as not noticed.
 */
const rooms = {
  functions: {
    mutate: ['functions/**/*.ts'],
    tests: ['access-tokens', 'consistency', 'contract', 'fuzz', 'http', 'plants'],
    excludedMutations: ['StringLiteral'],
    ignoreStatic: true,
    least: 90,
  },
  lib: {
    mutate: ['lib/*.ts', 'bin/plant-store.ts'],
    tests: ['stack'],
    // The templates are made before the first test.
    ignoreStatic: false,
    least: 85,
  },
  'lib/offline': {
    mutate: ['lib/offline/**/*.ts'],
    tests: ['contract', 'fuzz', 'offline'],
    ignoreStatic: true,
    least: 85,
  },
  bin: {
    mutate: ['bin/**/*.ts', '!bin/plant-store.ts'],
    tests: ['offline', 'openapi', 'programs'],
    ignoreStatic: true,
    least: 75,
  },
};

const { mutate, tests, excludedMutations, ignoreStatic, least } = rooms[process.env.ROOM];

export default {
  mutate,
  mutator: { excludedMutations: excludedMutations ?? [] },
  ignoreStatic,
  thresholds: { high: 100, low: least, break: least },
  plugins: ['@stryker-mutator/jest-runner'],
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: {
    projectType: 'custom',
    enableFindRelatedTests: false,
    config: {
      ...packageJson.jest,
      roots: tests.map((folder) => join('test', folder)),
      moduleNameMapper: {
        // Bundles take ten seconds, and esbuild's output hardly depends on lib/. Lint has findings in
        // mutants. The others start processes, which do not say which mutants they ran.
        '(bundles/.+|/scripts|/sam|/node24)\\.suite\\.ts$': '<rootDir>/.ci/stryker/nothing.mjs',
      },
      // So do these.
      testPathIgnorePatterns: ['npm-start', 'processes'],
    },
  },
  tsconfigFile: 'none',
  reporters: ['clear-text', 'progress-append-only', 'json'],
  clearTextReporter: { reportTests: false, logTests: false },
  timeoutMS: 20000,
  maxTestRunnerReuse: 100,
};
