import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { testOnPosix } from '../support/posix.ts';
import { startProgram } from '../support/program.ts';

const launcher = join(root, 'bin', 'node24.mjs');

/** Options that make a Node report an older version. */
const olderNode = [
  '--import',
  'data:text/javascript,Object.defineProperty(process,"version",{value:"v20.1.0"})',
];

function program(source: string): string {
  const file = join(temporaryFolder(), 'program.mjs');
  writeFileSync(file, source);
  return file;
}

const launch = (args: string[], options = {}) => startProgram(process.execPath, args, options);

test('options, arguments, stdin and the exit code pass through the launcher', async () => {
  const file = program(`console.log(JSON.stringify([process.execArgv, process.argv.slice(2)]));
    process.stdin.pipe(process.stdout);
    process.exitCode = 7;`);
  // Other people may have chosen a value that looks like an option of Node, or like a path.
  const values = ['a b', '--inspect=127.0.0.1:0', 'node_modules/jest'];
  const args = ['--label', ...values, '--', '--inspect'];
  const { child, ended } = launch([launcher, '--no-warnings', file, ...args]);
  child.stdin.end('typed');
  expect(await ended()).toEqual({
    code: 7,
    stdout: `${JSON.stringify([['--no-warnings'], args])}\ntyped`,
    stderr: '',
  });
});

test('only the first arguments of Jest open a debugger', async () => {
  const args = ['--inspect=127.0.0.1:0', '-t', '--inspect=127.0.0.2:0'];
  const jest = 'node_modules/jest/bin/jest.js';
  const { code, stderr } = await launch([launcher, jest, ...args]).ended();
  expect(code).toBe(1);
  expect(stderr.match(/^Debugger listening on ws:\/\/[\d.]+/gm)).toEqual([
    'Debugger listening on ws://127.0.0.1',
  ]);
  expect(stderr).toContain('Not enough arguments following: t');
});

const testSignals = testOnPosix('a process cannot handle the signals of another one there');

testSignals('signals to the launcher reach the program', async () => {
  const file = program(`for (const signal of ['SIGHUP', 'SIGQUIT', 'SIGTERM']) {
      process.on(signal, () => console.log(signal));
    }
    process.on('SIGINT', () => process.exit(9));
    process.on('disconnect', () => process.exit());
    setInterval(() => {}, 1000);
    console.log('ready');`);
  const { child, line, ended } = launch([launcher, file]);
  await line(/^ready$/);
  for (const signal of ['SIGHUP', 'SIGQUIT', 'SIGTERM'] as const) {
    child.kill(signal);
    await line(new RegExp(`^${signal}$`));
  }
  child.kill('SIGINT');
  expect(await ended()).toEqual({
    code: 9,
    stdout: 'ready\nSIGHUP\nSIGQUIT\nSIGTERM\n',
    stderr: '',
  });
});

testSignals('a signal that kills the program kills the launcher', async () => {
  const file = program(`process.kill(process.pid, 'SIGINT'); setInterval(() => {}, 1000);`);
  const { child, ended } = launch([launcher, file]);
  expect(await ended()).toEqual({ code: null, stdout: '', stderr: '' });
  expect(child.signalCode).toBe('SIGINT');
});

testSignals('a killed launcher closes the channel of the program', async () => {
  const file = program(`process.once('disconnect', () => { console.log('ended'); process.exit(); });
    setInterval(() => {}, 1000);
    console.log('ready');`);
  const { child, line, ended } = launch([launcher, file]);
  await line(/^ready$/);
  child.kill('SIGKILL');
  expect(await ended()).toEqual({ code: null, stdout: 'ready\nended\n', stderr: '' });
});

testSignals.each([
  { system: 'this system', options: [] },
  // As on Windows.
  {
    system: 'a system that keeps the id of the parent',
    options: [
      '--import',
      'data:text/javascript,Object.defineProperty(process,"ppid",{value:process.ppid})',
    ],
  },
])(
  'on $system, the program gets SIGTERM when the shell between npm and the launcher is killed',
  async ({ options }) => {
    // If nothing stops it, it ends after a minute.
    const file = program(`process.on('SIGTERM', () => { console.log('ended'); process.exit(); });
    process.channel.unref();
    setTimeout(() => {}, 60_000);
    console.log('ready');`);
    // Without `wait`, the shell would replace itself by the launcher.
    const shell = ['-c', '"$0" "$@" & wait', process.execPath, ...options, launcher, file];
    const env = { ...process.env, npm_lifecycle_event: 'start' };
    const { child, line, ended } = startProgram('sh', shell, { env });
    await line(/^ready$/);
    child.kill('SIGKILL');
    expect(await ended()).toEqual({ code: null, stdout: 'ready\nended\n', stderr: '' });
  },
);

/** A script in place of a Node of another version. */
const writeNode = (version: string) =>
  `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo "${version} got $2"\n`;

interface Surroundings {
  isOlder?: boolean;
  /** Members of package.json besides the installed package `first`. */
  packages?: object;
  env?: object;
  /** The Node of the platform package, and the one that runs npm. */
  platform?: string;
  own?: string;
}

const system = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Starts a program with a copy of the launcher, in a project of its own. */
function launchCopy({ isOlder, packages, env, platform, own }: Surroundings) {
  const folder = temporaryFolder();
  const write = (path: string, text: string) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o755 });
    return file;
  };
  if (platform) {
    write(`node_modules/node-${system}/bin/node`, platform);
  }
  write('node_modules/first/say.mjs', 'console.log(process.env.npm_node_execpath);');
  const dependencies = { first: '1.0.0' };
  write('package.json', JSON.stringify({ dependencies, ...packages }));
  const copy = write('bin/node24.mjs', readFileSync(launcher, 'utf8'));
  const npm = own ? { npm_node_execpath: write('node', own) } : {};
  return launch([...(isOlder ? olderNode : []), copy, 'node_modules/first/say.mjs', '--y'], {
    env: { ...process.env, ...npm, ...env },
    cwd: folder,
  }).ended();
}

const isOlder = true;
const needs = 'The plant store needs Node 24 or later, but this is v20.1.0.';
const getNode = `${needs} Install Node 24 from https://nodejs.org.`;
const optionalDependencies = { [`node-${system}`]: '24.0.0' };

const testPrograms = testOnPosix('it cannot start a script by its first line');

testPrograms.each<[what: string, Surroundings, printed: string]>([
  ['an older Node', { isOlder, platform: writeNode('v24') }, 'v24 got --y'],
  ['a newer Node that runs npm', { own: writeNode('v26.0.0') }, 'v26.0.0 got --y'],
  ['an older Node that runs npm', { own: writeNode('v22.1.0') }, process.execPath],
])('%s starts a program with the Node that it should', async (_, surroundings, printed) => {
  const ended = await launchCopy(surroundings);
  expect(ended).toEqual({ code: 0, stdout: `${printed}\n`, stderr: '' });
});

testPrograms.each<[what: string, Surroundings, error: string]>([
  ['an older Node on a system without a platform package', { isOlder }, getNode],
  [
    'an older Node without its platform package',
    { isOlder, packages: { optionalDependencies } },
    `${needs} Run "npm ci --include=optional", which installs it as the package ` +
      `node-${system}, even if "--omit=optional" left it out.`,
  ],
  [
    'an older Node whose platform package does not run',
    { isOlder, packages: { optionalDependencies }, platform: '#!/no' },
    getNode,
  ],
  [
    'a missing package',
    { packages: { dependencies: { '@scope/second': '1.0.0' } } },
    'The package @scope/second is not installed. Run "npm ci" first.',
  ],
  [
    'a missing package in production',
    { isOlder, packages: { dependencies: { second: '1.0.0' } }, env: { NODE_ENV: 'production' } },
    'The package second is not installed. Run "npm ci --include=dev" first.',
  ],
  [
    'a missing development package',
    { packages: { devDependencies: { second: '1.0.0' } } },
    'The package second is not installed. Run "npm ci --include=dev", which also installs ' +
      'packages that "--omit=dev" or NODE_ENV=production left out.',
  ],
])('%s fails with a line that names the remedy', async (_, surroundings, error) => {
  const failed = { code: 1, stdout: '', stderr: `error: ${error}\n` };
  expect(await launchCopy(surroundings)).toEqual(failed);
});

const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));
const commands: [string, string][] = Object.entries({
  ...read('package.json').scripts,
  'npx cdk': read('cdk.json').app,
});
test.each(commands.filter(([, command]) => /^node\b|^\S+\.ts\b/.test(command)))(
  '%s runs Node through the launcher',
  (_, command) => expect(command).toMatch(/^node bin\/node24\.mjs /),
);
