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
  const file = program(`process.stdin.pipe(process.stdout);
    console.error(JSON.stringify([process.execArgv, process.argv.slice(2)]));
    process.exitCode = 7;`);
  const { child, ended } = launch([launcher, '--no-warnings', file, '--port', 'a b']);
  child.stdin.end('typed');
  expect(await ended()).toEqual({
    code: 7,
    stdout: 'typed',
    stderr: '[["--no-warnings"],["--port","a b"]]\n',
  });
});

const testSignals = testOnPosix('a process cannot handle the signals of another one there');

testSignals.each<NodeJS.Signals>(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])(
  '%s to the launcher reaches the program, whose exit code the launcher returns',
  async (signal) => {
    const file = program(`process.on('${signal}', () => process.exit(9));
      setInterval(() => {}, 1000);
      console.log('ready');`);
    const { child, line, ended } = launch([launcher, file]);
    await line(/^ready$/);
    child.kill(signal);
    expect(await ended()).toMatchObject({ code: 9 });
  },
);

test.each([
  ['--inspect=127.0.0.1:0', ['--inspect=127.0.0.1:0', '--no-warnings'], ['--port', '1']],
  ['--inspect-port=0', ['--no-warnings'], ['--port', '1', '--inspect-port=0']],
])(
  '%s among the arguments goes to Node only if it starts the debugger',
  async (option, ...given) => {
    const file = program('console.log(JSON.stringify([process.execArgv, process.argv.slice(2)]));');
    const { ended } = launch([launcher, '--no-warnings', file, '--port', '1', option]);
    expect(JSON.parse((await ended()).stdout)).toEqual(given);
  },
);

testSignals('a signal that kills the program kills the launcher', async () => {
  const file = program(`process.kill(process.pid, 'SIGINT'); setInterval(() => {}, 1000);`);
  const { child, ended } = launch([launcher, file]);
  expect(await ended()).toMatchObject({ code: null });
  expect(child.signalCode).toBe('SIGINT');
});

testSignals('a killed launcher closes the channel of the program', async () => {
  const file = program(`process.once('disconnect', () => { console.log('ended'); process.exit(); });
    setInterval(() => {}, 1000);
    console.log('ready');`);
  const { child, line, ended } = launch([launcher, file]);
  await line(/^ready$/);
  child.kill('SIGKILL');
  expect(await ended()).toMatchObject({ stdout: 'ready\nended\n' });
});

testSignals(
  'the program gets SIGTERM when the shell between npm and the launcher is killed',
  async () => {
    const file = program(`process.on('SIGTERM', () => { console.log('ended'); process.exit(); });
    process.channel.unref();
    setInterval(() => {}, 1000);
    console.log('ready');`);
    // Without `wait`, the shell would replace itself by the launcher.
    const shell = ['-c', '"$0" "$@" & wait', process.execPath, launcher, file];
    const env = { ...process.env, npm_lifecycle_event: 'start' };
    const { child, line, ended } = startProgram('sh', shell, { env });
    await line(/^ready$/);
    child.kill('SIGKILL');
    expect(await ended()).toMatchObject({ stdout: 'ready\nended\n' });
  },
);

/** A script in place of a Node of another version. */
const nodeOf = (version: string) =>
  `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo "${version} got $2"\n`;

interface Surroundings {
  isOlder?: boolean;
  /** Members of package.json besides the installed package `first`. */
  packages?: object;
  /** Puts the packages into a folder above the project's. */
  isWorkspace?: boolean;
  nodeEnv?: string;
  /** The Node of the platform package, and the one that runs npm. */
  platform?: string;
  own?: string;
}

const system = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Starts a program with a copy of the launcher, in a project of its own. */
function launchIn({ isOlder, packages, isWorkspace, nodeEnv, platform, own }: Surroundings) {
  const above = temporaryFolder();
  const project = isWorkspace ? 'packages/store/' : '';
  const write = (path: string, text: string) => {
    const file = join(above, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o755 });
    return file;
  };
  if (platform) {
    write(`node_modules/node-${system}/bin/node`, platform);
  }
  write('node_modules/first/package.json', '{}');
  write('node_modules/first/say.mjs', 'console.log("first");');
  const dependencies = { first: '1.0.0' };
  write(`${project}package.json`, JSON.stringify({ dependencies, ...packages }));
  const copy = write(`${project}bin/node24.mjs`, readFileSync(launcher, 'utf8'));
  const file = program('console.log(process.env.npm_node_execpath, process.argv[2]);');
  const env = {
    ...process.env,
    ...(own && { npm_node_execpath: write('node', own) }),
    ...(nodeEnv && { NODE_ENV: nodeEnv }),
  };
  const args = isWorkspace ? ['node_modules/first/say.mjs'] : [file, '--y'];
  const cwd = join(above, project);
  return launch([...(isOlder ? olderNode : []), copy, ...args], { env, cwd }).ended();
}

const isOlder = true;
const needs = 'The plant store needs Node 24 or later, but this is v20.1.0.';
const getNode = `${needs} Install Node 24 from https://nodejs.org.`;
const optionalDependencies = { [`node-${system}`]: '24.0.0' };
interface Launch {
  what: string;
  surroundings: Surroundings;
  printed: string;
  /** The error, if no program starts. */
  error?: string;
}
testOnPosix('it cannot start a script by its first line').each<Launch>([
  {
    what: 'an older Node starts the platform package',
    surroundings: { isOlder, platform: nodeOf('v24') },
    printed: 'v24 got --y',
  },
  {
    what: 'an older Node on a system without a platform package fails',
    surroundings: { isOlder },
    printed: '',
    error: getNode,
  },
  {
    what: 'an older Node without its platform package fails',
    surroundings: { isOlder, packages: { optionalDependencies } },
    printed: '',
    error:
      `${needs} Run "npm ci --include=optional", which installs it as the package ` +
      `node-${system}, even if "--omit=optional" left it out.`,
  },
  {
    what: 'an older Node whose platform package does not run fails',
    surroundings: { isOlder, packages: { optionalDependencies }, platform: '#!/no' },
    printed: '',
    error: getNode,
  },
  {
    what: 'a newer Node that runs npm is preferred',
    surroundings: { own: nodeOf('v26.0.0') },
    printed: 'v26.0.0 got --y',
  },
  {
    what: 'an older Node that runs npm is not used',
    surroundings: { own: nodeOf('v22.1.0') },
    printed: `${process.execPath} --y`,
  },
  {
    what: 'a missing package fails with its name',
    surroundings: { packages: { dependencies: { '@scope/second': '1.0.0' } } },
    printed: '',
    error: 'The package @scope/second is not installed. Run "npm ci" first.',
  },
  {
    what: 'a missing package in production fails with a command that installs all packages',
    surroundings: {
      packages: { dependencies: { second: '1.0.0' }, optionalDependencies },
      isOlder,
      nodeEnv: 'production',
    },
    printed: '',
    error: 'The package second is not installed. Run "npm ci --include=dev" first.',
  },
  {
    what: 'a missing development package fails with the option that installs it',
    surroundings: { packages: { devDependencies: { second: '1.0.0' } } },
    printed: '',
    error:
      'The package second is not installed. Run "npm ci --include=dev", which also installs ' +
      'packages that "--omit=dev" or NODE_ENV=production left out.',
  },
  {
    what: 'a workspace finds packages and their programs above the project',
    surroundings: { isWorkspace: true, packages: { devDependencies: { first: '1.0.0' } } },
    printed: 'first',
  },
])('$what', async ({ surroundings, printed, error }) => {
  expect(await launchIn(surroundings)).toEqual({
    code: error ? 1 : 0,
    stdout: printed && `${printed}\n`,
    stderr: error ? `error: ${error}\n` : '',
  });
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
