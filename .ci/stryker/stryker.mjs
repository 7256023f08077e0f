// Stryker's settings for one room of the product. CONTRIBUTING.md has the commands.
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { rooms } from './rooms.mjs';

const { mutate, tests, excludedMutations, ignoreStatic } = rooms[process.env.ROOM];

export default {
  mutate,
  mutator: { excludedMutations: excludedMutations ?? [] },
  ignoreStatic,
  plugins: ['@stryker-mutator/jest-runner'],
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: {
    projectType: 'custom',
    enableFindRelatedTests: false,
    config: {
      ...packageJson.jest,
      // A mutant that hangs a test takes so long.
      testTimeout: 18000,
      roots: tests.map((folder) => join('test', folder)),
      moduleNameMapper: {
        // Lint has findings in mutants. The others start processes, which do not say which mutants they ran.
        '/(scripts|sam|node24)\\.suite\\.ts$': '<rootDir>/.ci/stryker/nothing.mjs',
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
