import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import cdk from '../../cdk.json' with { type: 'json' };
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
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
  const args = ['--inspect', 'a b', '--inspect=127.0.0.1:0', 'node_modules/jest', '--'];
  const { child, ended } = launch([launcher, '--no-warnings', file, ...args]);
  child.stdin.end('typed');
  expect(await ended()).toEqual({
    code: 7,
    stdout: `${JSON.stringify([['--no-warnings'], args])}\ntyped`,
    stderr: '',
  });
});

const testSignals = testOnPosix('a process cannot handle the signals of another one there');

testSignals(
  'signals to the launcher reach the program, and one that kills it kills both',
  async () => {
    const file = program(`for (const signal of ['SIGHUP', 'SIGQUIT', 'SIGTERM']) {
      process.on(signal, () => console.log(signal));
    }
    process.once('SIGINT', () => {
      console.log('SIGINT');
      process.kill(process.pid, 'SIGINT');
    });
    setInterval(() => {}, 1000);
    console.log('ready');`);
    const { child, line, ended } = launch([launcher, file]);
    await line(/^ready$/);
    for (const signal of ['SIGHUP', 'SIGQUIT', 'SIGTERM', 'SIGINT'] as const) {
      child.kill(signal);
      await line(new RegExp(`^${signal}$`));
    }
    const stdout = 'ready\nSIGHUP\nSIGQUIT\nSIGTERM\nSIGINT\n';
    expect(await ended()).toEqual({ code: null, stdout, stderr: '' });
    expect(child.signalCode).toBe('SIGINT');
  },
);

testSignals(
  'the program gets SIGTERM when the shell between npm and the launcher is killed, also on a system that keeps the id of the parent',
  async () => {
    // If nothing stops it, it ends after a minute.
    const file = program(`const [name] = process.argv.slice(2);
    process.on('SIGTERM', () => { console.log(name, 'ended'); process.exit(); });
    process.channel.unref();
    setTimeout(() => {}, 60_000);
    console.log(name, 'ready');`);
    // As on Windows.
    const keepParent = 'Object.defineProperty(process,"ppid",{value:process.ppid})';
    const options = ['--import', `data:text/javascript,${keepParent}`];
    const both = '"$0" "$1" "$2" this & "$0" "$3" "$4" "$1" "$2" other & wait';
    const env = { ...process.env, npm_lifecycle_event: 'start' };
    const args = ['-c', both, process.execPath, launcher, file, ...options];
    const { child, line, ended } = startProgram('sh', args, { env });
    await Promise.all([line(/^this ready$/), line(/^other ready$/)]);
    child.kill('SIGKILL');
    const { stdout } = await ended();
    expect(stdout.trim().split('\n').sort()).toEqual([
      ...['other ended', 'other ready', 'this ended', 'this ready'],
    ]);
  },
);

const system = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
/** The Node of the platform package. */
const platformNode = `node_modules/node-${system}/bin/node`;
/** A program of a package. */
const say = 'node_modules/first/say.mjs';

/** Writes a project with a copy of the launcher and an installed package. Returns its folder. */
function writeProject(files: Record<string, string>, packages: object = {}): string {
  const folder = temporaryFolder();
  const all = {
    ...files,
    [say]: 'console.log(process.env.npm_node_execpath, process.env.NODE_COMPILE_CACHE);',
    'package.json': JSON.stringify({ dependencies: { first: '1.0.0' }, ...packages }),
    'bin/node24.mjs': readFileSync(launcher, 'utf8'),
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: 0o755 });
  }
  return folder;
}

/** A script in place of a Node of another version. */
const writeNode = (version: string) =>
  `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo "${version} got $*"\n`;

const testPrograms = testOnPosix('it cannot start a script by its first line');

testPrograms.each<[what: string, own: string[], files: Record<string, string>, args: string[]]>([
  [
    'an older one starts that of the platform, with the first options behind a package',
    olderNode,
    { [platformNode]: writeNode('v24.22.3') },
    ['--no-warnings', say, '--inspect', '--inspect-brk=1', '-t', '--inspect=2'],
  ],
  ['an older 24 runs npm', [], { node: writeNode('v24.4.1') }, [say]],
])('the launcher chooses a Node: %s', async (_, own, files, args) => {
  const cwd = writeProject(files);
  const env = { ...process.env, npm_node_execpath: join(cwd, 'node') };
  const ended = await launch([...own, 'bin/node24.mjs', ...args], { cwd, env }).ended();
  const stdout = ended.stdout.replace(process.execPath, 'NODE').replace(cwd, 'FOLDER');
  expect({ ...ended, stdout }).toMatchSnapshot();
});

const scripts: Record<string, string> = packageJson.scripts;
const jestProgram = 'node_modules/jest/bin/jest.js';
const node = '--experimental-vm-modules --disable-warning=ExperimentalWarning';
const slow = '--testMatch=**/*.slow.ts --testTimeout=900000 --verbose --forceExit';

testPrograms.each([
  {
    script: 'test',
    // The least one.
    version: 'v24.5.0',
    added: '--inspect-wait=9230 --inspect-brk -t --inspect',
    got: `${node} --inspect-wait=9230 --inspect-brk ${jestProgram} --ci -t --inspect`,
    variables: 'secret work',
  },
  {
    script: 'test:slow',
    version: 'v26.0.0',
    added: '--inspect=0 test/slow/sam',
    got: `${node} --inspect=0 ${jestProgram} ${slow} test/slow/sam`,
    variables: 'secret work',
  },
  // Its own option.
  {
    script: 'start',
    version: 'v26.0.0',
    added: '--inspect',
    got: 'bin/start.ts --inspect',
    variables: ' ',
  },
  {
    script: 'sam',
    version: 'v26.0.0',
    added: '--port 3001',
    got: 'bin/sam.ts --port 3001',
    variables: ' ',
  },
])('npm run $script -- $added gives Node $version: $got, and AWS: "$variables"', async (row) => {
  const { script, version, added, got, variables } = row;
  const shell = writeNode(version).replace('$*', '$*, $AWS_SECRET_ACCESS_KEY $AWS_PROFILE');
  const cwd = writeProject({ node: shell }, { scripts });
  const env = {
    ...process.env,
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_PROFILE: 'work',
    npm_node_execpath: join(cwd, 'node'),
    npm_lifecycle_event: script,
    NODE: process.execPath,
  };
  const command = `${scripts[script]?.replace(/^node /, '"$NODE" ')} ${added}`;
  const { stdout } = await startProgram('sh', ['-c', command], { cwd, env }).ended();
  expect(stdout).toBe(`${version} got ${got}, ${variables}\n`);
});

const optionalDependencies = { [`node-${system}`]: '24.0.0' };
const second = { second: '1.0.0' };

interface Failure {
  what: string;
  version?: string;
  packages?: object;
  files?: Record<string, string>;
  env?: object;
}

testPrograms.each<Failure>([
  { what: 'an older Node on a system without a platform package', version: 'v22.11.0' },
  {
    what: 'an older Node without its platform package',
    version: 'v22.11.0',
    packages: { optionalDependencies },
  },
  {
    what: 'an older Node whose platform package does not run',
    version: 'v22.11.0',
    packages: { optionalDependencies },
    files: { [platformNode]: '#!/no' },
  },
  { what: 'a missing package', packages: { dependencies: { '@scope/second': '1.0.0' } } },
  {
    what: 'a missing package in production',
    packages: { dependencies: second },
    env: { NODE_ENV: 'production' },
  },
  { what: 'a missing development package', packages: { devDependencies: second } },
])('$what fails with a line that names the remedy', async ({ packages, files = {}, ...row }) => {
  const { version } = process;
  const setVersion = (value: string) => Object.defineProperty(process, 'version', { value });
  setVersion(row.version ?? version);
  jest.replaceProperty(process, 'env', { ...process.env, ...row.env });
  const say = jest.spyOn(console, 'error').mockReturnValue();
  const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
  try {
    await import(join(writeProject(files, packages), 'bin', 'node24.mjs'));
    await eventually('an error', () => say.mock.calls.length + exit.mock.calls.length);
    const printed = say.mock.calls.join().replace(`node-${system}`, 'PACKAGE');
    expect([process.exitCode, printed]).toMatchSnapshot();
  } finally {
    process.exitCode = undefined;
    setVersion(version);
    jest.restoreAllMocks();
  }
});

const commands = Object.entries({ ...scripts, 'npx cdk': cdk.app });
test.each(commands.filter(([, command]) => /^node\b|^\S+\.ts\b/.test(command)))(
  '%s runs Node through the launcher',
  (_, command) => expect(command).toMatch(/^node bin\/node24\.mjs /),
);
