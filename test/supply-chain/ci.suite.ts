import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, matchesGlob } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { rooms } from '../../.ci/stryker/rooms.mjs';
import cdk from '../../cdk.json' with { type: 'json' };
import { defaultDataFolder } from '../../lib/local/options.ts';
import { codeBlocks, readPage } from '../docs/page.ts';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { findLoaded } from '../support/imports.ts';
import { runProcess } from '../support/programs/run.ts';

// Whoever changes these files by mistake sees no error: CI then checks less, or git keeps more.

/** A program that records its call, and fails if that is in the variable FAIL. */
const fake = `#!/bin/sh
call="\${0#"$FOLDER"/} $*"
call=\${call%% "$FOLDER"*}
echo "\${call% }" >>"$CALLS"
case $FAIL in *"<\${call% }>"*) exit 3 ;; esac
`;
const programs = ['bin/node', 'bin/npm', ...globSync('.ci/{steps,tools}/*', { cwd: root })];

const folder = temporaryFolder();
beforeAll(() => {
  for (const name of programs) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), fake, { mode: 0o755 });
  }
  cpSync(join(root, '.ci', 'run'), join(folder, '.ci', 'run'));
});

let runs = 0;
/** Runs a part of `.ci/run`. Returns its exit code and its calls. */
async function runPart(part: string, { failing = [''], CI = 'true' } = {}) {
  runs += 1;
  const calls = join(folder, `calls-${runs}`);
  writeFileSync(calls, '');
  const PATH = `${join(folder, 'bin')}:${process.env.PATH}`;
  const FAIL = `<${failing.join('><')}>`;
  const env = { CALLS: calls, CI, FAIL, FOLDER: folder, PATH, TMPDIR: folder };
  const args = part === '' ? [] : [part];
  const { code } = await runProcess(join(folder, '.ci', 'run'), args, { env });
  return { code, calls: readFileSync(calls, 'utf8').trimEnd().split('\n') };
}

/** Calls of each part, after its tools. */
const prepare = [
  'bin/npm ci --prefix .ci',
  '.ci/tools/node-and-npm node-22 npm-12',
  'bin/node --version',
  'bin/npm --version',
  'bin/npm ci',
  '.ci/steps/launcher',
];
const parts = {
  stack: [
    '.ci/tools/own-network true',
    ...prepare,
    '.ci/tools/docker',
    '.ci/tools/python sam-cli',
    '.ci/steps/deploy',
    '.ci/steps/sam',
  ],
  checks: [
    '.ci/tools/java',
    '.ci/tools/zsh',
    '.ci/tools/own-network true',
    ...prepare,
    '.ci/steps/as-people-do',
    '.ci/steps/random-order',
    'bin/npm run -s types',
    'bin/npm run -s lint',
    '.ci/steps/templates',
    '.ci/steps/pages',
    '.ci/steps/openapi',
    '.ci/steps/workflows',
    '.ci/tools/own-network env ENGINE=DynamoDB Local JAVA_TOOL_OPTIONS=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC .ci/tools/suites test --maxWorkers=2 test/contract test/consistency test/fuzz test/plants test/tokens',
    '.ci/tools/suites test:slow test/slow/bundles',
  ],
  slow: [
    '.ci/tools/chromium',
    ...prepare,
    '.ci/tools/suites test --maxWorkers=2 --testTimeout=900000 test/consistency test/fuzz test/openapi',
    '.ci/tools/suites test:slow --maxWorkers=2 test/slow/consistency test/slow/programs',
  ],
};
const openapi = [...prepare, '.ci/steps/openapi'];
/** Calls that may fail: a step that needs the tool fails, and the versions are only printed. */
const mayFail = [
  'bin/node --version',
  'bin/npm --version',
  '.ci/tools/docker',
  '.ci/tools/python sam-cli',
];

// Other systems run npm test only.
const testOnLinux = process.platform === 'linux' ? test : test.skip;

testOnLinux.each(Object.entries({ ...parts, openapi }))(
  '.ci/run %s fails if a call fails',
  async (part, calls) => {
    expect(await runPart(part, { failing: mayFail })).toEqual({ code: 0, calls });
    // The same lines prepare every part, so their calls fail in one only.
    const own = part === 'openapi' ? calls : calls.filter((call) => !prepare.includes(call));
    const broken = own.filter((call) => !mayFail.includes(call));
    const codes = broken.map(async (call) => (await runPart(part, { failing: [call] })).code);
    const ignored = (await Promise.all(codes)).flatMap((code, i) => (code === 0 ? broken[i] : []));
    expect(ignored).toEqual([]);
  },
);

testOnLinux(
  'without CI, .ci/run does without other versions of Node, and without zsh',
  async () => {
    const failing = ['.ci/tools/zsh', '.ci/tools/node-and-npm node-22 npm-12'];
    const ended = await runPart('checks', { failing, CI: '' });
    expect(ended).toEqual({ code: 0, calls: parts.checks });
  },
);

testOnLinux('.ci/run runs all parts, and fails if the first that starts fails', async () => {
  const { code, calls } = await runPart('', { failing: ['.ci/steps/deploy'] });
  expect(code).toBe(3);
  const expected = new Set(Object.values(parts).flat());
  // The step after the one that failed.
  expected.delete('.ci/steps/sam');
  expect(new Set(calls)).toEqual(expected);
});

/** Programs that fail. Without `id`, no step installs packages of Debian or starts a daemon. */
const missing = ['docker', 'id', 'python3', ...[11, 12, 13, 14].map((minor) => `python3.${minor}`)];

testOnLinux.each([
  { step: 'deploy', CI: 'true', code: 1, line: /^!!! NOT DEPLOYED: .*Python/m },
  { step: 'deploy', CI: '', code: 0, line: /^!!! NOT DEPLOYED: .*Python/m },
  { step: 'sam', CI: 'true', code: 1, line: /^!!! NOT RUN IN SAM LOCAL: there is no Docker/m },
  { step: 'sam', CI: '', code: 0, line: /^!!! NOT RUN IN SAM LOCAL: there is no Docker/m },
])('without its tools, and with CI="$CI", .ci/steps/$step exits with $code', async (row) => {
  const { step, CI, code, line } = row;
  const folder = temporaryFolder();
  for (const name of missing) {
    writeFileSync(join(folder, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  }
  const PATH = `${folder}${delimiter}${process.env.PATH}`;
  const env = { CI, PATH, HOME: folder, PLANT_STORE_TOOLS: folder, TMPDIR: folder };
  const ended = await runProcess('bash', [`.ci/steps/${step}`], { env });
  expect(ended.stderr).toMatch(line);
  expect(ended.code).toBe(code);
});

test('no step of CI and no workflow ignores a failure', () => {
  const files = globSync(['.ci/steps/*', '.github/workflows/*'], { cwd: root });
  const lines = files.flatMap((file) => readPage(file).split('\n'));
  const ignoring = lines.filter((line) => /\|\| *(true|:)|continue-on-error/.test(line));
  expect(ignoring.filter((line) => !line.startsWith('trap '))).toEqual([]);
});

testOnLinux('.ci/run names its parts if it has none of a name', async () => {
  expect(await runPart('lint')).toEqual({ code: 2, calls: [''] });
});

/** Returns the lines below a key of a workflow, up to the next key. */
function readBlock(file: string, key: string): string {
  const [, after = ''] = `\n${readPage(`.github/workflows/${file}`)}`.split(`\n${key}:\n`);
  const [block = ''] = after.split(/^(?=\S)/m);
  return block.trimEnd();
}

test('CI runs for each change, on main and at night, two workflows weekly, a deployment by hand', () => {
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
  expect(readBlock('vulnerabilities.yml', 'on').split('\n')).toEqual([
    '  schedule:',
    "    - cron: '17 4 * * 1'",
    '  workflow_dispatch:',
  ]);
  expect(readBlock('deploy.yml', 'on')).toBe('  workflow_dispatch:');
});

test('CI runs what CONTRIBUTING.md says: its commands on each system, and all parts of .ci/run', () => {
  const [quick = '', everything = '', frozen = ''] = readBlock('ci.yml', 'jobs').split('\n\n');
  expect(quick).toContain('os: [ubuntu-24.04, windows-2025, macos-15]\n');
  expect(quick).toMatch(/^ {4}runs-on: \$\{\{ matrix\.os \}\}$/m);
  const [commands = ''] = codeBlocks(readPage('CONTRIBUTING.md'), 'sh');
  const before = ['npm ci', 'bash .ci/steps/launcher'];
  expect([...quick.matchAll(/- run: (.+)/g)].map(([, command]) => command)).toEqual([
    ...before,
    ...commands.replace(' -- --write', '').trim().split(' && '),
  ]);
  const [, parts = ''] = /parts=\((.+)\) ;;/.exec(readPage('.ci/run')) ?? [];
  expect(everything).toContain(`part: [${parts.replaceAll(' ', ', ')}]\n`);
  const [, condition = ''] = /^ {4}if: >-\n((?: {6}.+\n)+)/m.exec(everything) ?? [];
  expect(condition.trim().split(/\n */)).toEqual([
    "github.event_name != 'pull_request' ||",
    "contains(github.event.pull_request.labels.*.name, 'long')",
  ]);
  expect(everything).toMatch(/- run: \.ci\/run \$\{\{ matrix\.part \}\}$/);
  expect(frozen).toMatch(/- run: npm ci\n {6}- run: \.ci\/steps\/frozen$/);
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
  const functions = globSync('functions/*.ts', { cwd: root }).map((file) =>
    file.replace('\\', '/'),
  );
  const isWatched = (file: string) =>
    cdk.watch.include.some((pattern) => matchesGlob(file, pattern));
  const loaded = findLoaded(['bin/plant-store.ts', ...functions]);
  const files = [...loaded, 'functions/load-bundle.mjs'];
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
    '*.jsonl*',
    '*.ndjson*',
    '*.part',
    'cdk.context.json',
    '.stryker-tmp/',
    'reports/',
  ]);
});
