import { cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { rooms } from '../../.ci/stryker/rooms.mjs';
import cdk from '../../cdk.json' with { type: 'json' };
import { defaultDataFolder } from '../../lib/local/options.ts';
import { codeBlocks, readPage } from '../docs/page.ts';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { runProcess } from '../support/programs/run.ts';

// Whoever changes these files by mistake sees no error: CI then checks less, or git keeps more.

/** A program that fails if its call has the text of the variable FAIL. */
const fake = '#!/bin/sh\ncase "$0 $*" in *"$FAIL"*) exit 3 ;; esac\n';

const folder = temporaryFolder();
const steps = [
  'as-people-do',
  'deploy',
  'launcher',
  'openapi',
  'pages',
  'sam',
  'templates',
  'workflows',
];
const tools = ['chromium', 'debian', 'docker', 'java', 'node-and-npm', 'python', 'suites'];
for (const name of [
  ...steps.map((step) => `.ci/steps/${step}`),
  ...tools.map((tool) => `.ci/tools/${tool}`),
  'bin/node',
  'bin/npm',
]) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), fake, { mode: 0o755 });
}
cpSync(join(root, '.ci', 'run'), join(folder, '.ci', 'run'));

// Other systems run npm test only.
const testOnLinux = process.platform === 'linux' ? test : test.skip;
testOnLinux.each([
  { part: '', broken: 'nothing', code: 0 },
  { part: '', broken: '/npm ci', code: 3 },
  { part: '', broken: 'steps/launcher', code: 3 },
  { part: 'stack', broken: 'steps/deploy', code: 3 },
  { part: 'stack', broken: 'steps/sam', code: 3 },
  { part: 'checks', broken: 'tools/java', code: 3 },
  { part: 'checks', broken: 'steps/as-people-do', code: 3 },
  { part: 'checks', broken: 'run -s lint', code: 3 },
  { part: 'checks', broken: 'suites test:slow', code: 3 },
  { part: 'slow', broken: 'suites test --', code: 3 },
  { part: 'slow', broken: 'suites test:slow', code: 3 },
  // The first part to start fails, and the others succeed.
  { part: '', broken: 'steps/deploy', code: 3 },
  { part: 'lint', broken: 'nothing', code: 2 },
])('.ci/run $part with $broken broken exits with $code', async ({ part, broken, code }) => {
  const PATH = `${join(folder, 'bin')}:${process.env.PATH}`;
  const args = part === '' ? [] : [part];
  const ended = await runProcess(join(folder, '.ci', 'run'), args, {
    env: { PATH, FAIL: broken },
  });
  expect(ended).toMatchObject({ code });
});

/** Returns the lines below a key of a workflow, up to the next key. */
function readBlock(file: string, key: string): string {
  const [, after = ''] = `\n${readPage(`.github/workflows/${file}`)}`.split(`\n${key}:\n`);
  const [block = ''] = after.split(/^(?=\S)/m);
  return block.trimEnd();
}

test('CI runs for each change, on main and at night, Stryker weekly, a deployment by hand', () => {
  expect(readBlock('ci.yml', 'on').split('\n')).toEqual([
    '  push:',
    '    branches: [main]',
    '  pull_request:',
    '    types: [opened, synchronize, reopened, labeled]',
    '  schedule:',
    "    - cron: '17 2 * * *'",
    '  workflow_dispatch:',
  ]);
  expect(readBlock('stryker.yml', 'on').split('\n')).toEqual([
    '  schedule:',
    "    - cron: '17 3 * * 6'",
    '  workflow_dispatch:',
  ]);
  expect(readBlock('deploy.yml', 'on')).toBe('  workflow_dispatch:');
});

test('CI runs what CONTRIBUTING.md says: its commands on each system, and all parts of .ci/run', () => {
  const [quick = '', everything = ''] = readBlock('ci.yml', 'jobs').split('\n\n');
  expect(quick).toContain('os: [ubuntu-24.04, windows-2025, macos-15]\n');
  expect(quick).toMatch(/^ {4}runs-on: \$\{\{ matrix\.os \}\}$/m);
  const [commands = ''] = codeBlocks(readPage('CONTRIBUTING.md'), 'sh');
  for (const command of commands.replace(' -- --write', '').trim().split(' && ')) {
    expect(quick).toMatch(new RegExp(`- run: ${command}$`, 'm'));
  }
  const [, parts = ''] = /parts=\((.+)\) ;;/.exec(readPage('.ci/run')) ?? [];
  expect(everything).toContain(`part: [${parts.replaceAll(' ', ', ')}]\n`);
  const [, condition = ''] = /^ {4}if: >-\n((?: {6}.+\n)+)/m.exec(everything) ?? [];
  expect(condition.trim().split(/\n */)).toEqual([
    "github.event_name != 'pull_request' ||",
    "contains(github.event.pull_request.labels.*.name, 'long')",
  ]);
  expect(everything).toMatch(/- run: \.ci\/run \$\{\{ matrix\.part \}\}$/);
});

test('Stryker runs for each of its rooms, and each file of the product is in one of them', () => {
  const names = Object.keys(rooms).join(', ');
  expect(readBlock('stryker.yml', 'jobs')).toContain(`room: [${names}]\n`);
  const mutated = Object.values(rooms).flatMap(({ mutate }) => {
    const excluded = mutate.filter((pattern) => pattern.startsWith('!'));
    const included = mutate.filter((pattern) => !excluded.includes(pattern));
    return globSync(included, { cwd: root, exclude: excluded.map((pattern) => pattern.slice(1)) });
  });
  const product = globSync('{bin,functions,lib}/**/*.ts', { cwd: root, exclude: ['**/*.d.ts'] });
  expect(mutated.sort()).toEqual(product.sort());
});

test('cdk watch deploys what the stack is made of, and nothing else', () => {
  const functions = globSync('functions/*.ts', { cwd: root });
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: ['bin/plant-store.ts', ...functions],
    outdir: temporaryFolder(),
    bundle: true,
    metafile: true,
    packages: 'external',
    platform: 'node',
    write: false,
    format: 'esm',
  });
  const isWatched = (file: string) =>
    cdk.watch.include.some((pattern) => matchesGlob(file, pattern));
  const files = [...Object.keys(metafile.inputs), 'functions/load-bundle.mjs'];
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((file) => !isWatched(file))).toEqual([]);
  const others = [
    'bin/start.ts',
    'lib/local/gateway/gateway.ts',
    'test/docs/page.ts',
    'package.json',
  ];
  expect(others.filter(isWatched)).toEqual([]);
});

test('CDK reports neither its use nor what the stack is made of', () => {
  expect(cdk).toMatchObject({ versionReporting: false, context: { 'cli-telemetry': false } });
});

test('git ignores packages, output, the database of npm start and exports', () => {
  expect(readPage('.gitignore').trim().split('\n')).toEqual([
    'node_modules/',
    'cdk.out/',
    `${defaultDataFolder}/`,
    '*.jsonl',
    '*.part',
    'cdk.context.json',
    '.stryker-tmp/',
    'reports/',
  ]);
});
