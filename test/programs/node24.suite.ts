import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
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
  `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo "${version} got $*"\n`;

interface Surroundings {
  isOlder?: boolean;
  /** Members of package.json besides the installed package `first`. */
  packages?: object;
  env?: object;
  /** Arguments of the launcher. */
  args?: string[];
  /** The Node of the platform package, and the one that runs npm. */
  platform?: string;
  own?: string;
}

const system = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** A program of an installed package. */
const say = 'node_modules/first/say.mjs';

/** Writes a project of its own with a copy of the launcher. Returns the copy, and variables of npm. */
function writeProject({ packages, platform, own }: Surroundings) {
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
  write(
    say,
    'const { npm_node_execpath: node, NODE_COMPILE_CACHE: cache } = process.env;' +
      'console.log(node, cache);',
  );
  const dependencies = { first: '1.0.0' };
  write('package.json', JSON.stringify({ dependencies, ...packages }));
  const copy = write('bin/node24.mjs', readFileSync(launcher, 'utf8'));
  return { folder, copy, npm: own ? { npm_node_execpath: write('node', own) } : {} };
}

const isOlder = true;
const optionalDependencies = { [`node-${system}`]: '24.0.0' };
const second = { second: '1.0.0' };

const testPrograms = testOnPosix('it cannot start a script by its first line');

testPrograms.each<[what: string, Surroundings]>([
  [
    'an older one starts that of the platform, with the first options behind a package',
    {
      isOlder,
      platform: writeNode('v24'),
      args: ['--no-warnings', say, '--inspect', '--inspect-brk=1', '-t', '--inspect=2'],
    },
  ],
  ['a newer one runs npm', { own: writeNode('v26.0.0') }],
  ['an older one runs npm', { own: writeNode('v22.1.0') }],
])('the launcher chooses a Node: %s', async (_, surroundings) => {
  const { isOlder, args = [say] } = surroundings;
  const { folder, copy, npm } = writeProject(surroundings);
  const env = { ...process.env, ...npm };
  const ended = await launch([...(isOlder ? olderNode : []), copy, ...args], {
    env,
    cwd: folder,
  }).ended();
  const stdout = ended.stdout.replace(process.execPath, 'NODE').replace(folder, 'FOLDER');
  expect({ ...ended, stdout }).toMatchSnapshot();
});

testPrograms.each<[what: string, Surroundings]>([
  ['an older Node on a system without a platform package', { isOlder }],
  ['an older Node without its platform package', { isOlder, packages: { optionalDependencies } }],
  [
    'an older Node whose platform package does not run',
    { isOlder, packages: { optionalDependencies }, platform: '#!/no' },
  ],
  ['a missing package', { packages: { dependencies: { '@scope/second': '1.0.0' } } }],
  [
    'a missing package in production',
    { isOlder, packages: { dependencies: second }, env: { NODE_ENV: 'production' } },
  ],
  ['a missing development package', { packages: { devDependencies: second } }],
])('%s fails with a line that names the remedy', async (_, surroundings) => {
  const { copy } = writeProject(surroundings);
  const { version } = process;
  const setVersion = (value: string) => Object.defineProperty(process, 'version', { value });
  setVersion(surroundings.isOlder ? 'v20.1.0' : version);
  jest.replaceProperty(process, 'env', { ...process.env, ...surroundings.env });
  const say = jest.spyOn(console, 'error').mockReturnValue();
  try {
    await import(copy);
    await eventually('an error', () => say.mock.calls.length);
    const printed = say.mock.calls.join().replace(`node-${system}`, 'PACKAGE');
    expect([process.exitCode, printed]).toMatchSnapshot();
  } finally {
    process.exitCode = undefined;
    setVersion(version);
    jest.restoreAllMocks();
  }
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
