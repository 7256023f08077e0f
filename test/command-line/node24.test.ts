import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../support/cleanup.ts';
import { startProgram } from '../support/program.ts';
import { root } from '../support/project.ts';

const launcher = join(root, 'bin', 'node24.mjs');

/** Makes a Node say that it is an older one. */
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

test('a signal to the launcher reaches the program, which may finish its work', async () => {
  const file = program(`process.on('SIGTERM', () => process.exit(9));
    setInterval(() => {}, 1000);
    console.log('ready');`);
  const { child, line, ended } = launch([launcher, file]);
  await line(/^ready$/);
  child.kill('SIGTERM');
  expect(await ended()).toMatchObject({ code: 9 });
});

test('a signal that ends the program ends the launcher', async () => {
  const file = program(`process.kill(process.pid, 'SIGINT'); setInterval(() => {}, 1000);`);
  const { child, ended } = launch([launcher, file]);
  expect(await ended()).toMatchObject({ code: null });
  expect(child.signalCode).toBe('SIGINT');
});

test.each([
  ['the shell between npm and the launcher', { npm_lifecycle_event: 'start' }, 'SIGTERM'],
  ['the launcher', {}, 'disconnect'],
])('the program learns that %s was killed', async (_, variables, event) => {
  const isShell = event === 'SIGTERM';
  const file = program(`process.on('${event}', () => { console.log('${event}'); process.exit(); });
    process.channel.unref();
    setInterval(() => {}, 1000);
    console.log('ready');`);
  // `wait` keeps the shell, which would otherwise become the launcher.
  const shell = ['"$0" "$@" & wait', process.execPath, launcher, file];
  const { child, line, ended } = isShell
    ? startProgram('sh', ['-c', ...shell], { env: { ...process.env, ...variables } })
    : launch([launcher, file]);
  await line(/^ready$/);
  child.kill('SIGKILL');
  expect(await ended()).toMatchObject({ stdout: `ready\n${event}\n` });
});

/** Copies the launcher into a project of its own, whose platform package has this text as Node. */
function projectWith(node: string | undefined): string {
  const root = temporaryFolder();
  const system = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = join(root, 'node_modules', `node-${system}`, 'bin');
  mkdirSync(folder, { recursive: true });
  if (node) writeFileSync(join(folder, 'node'), node, { mode: 0o755 });
  writeFileSync(join(root, 'package.json'), '{}');
  mkdirSync(join(root, 'bin'));
  cpSync(launcher, join(root, 'bin', 'node24.mjs'));
  return join(root, 'bin', 'node24.mjs');
}

test('an older Node starts the one of the platform package', async () => {
  const copy = projectWith('#!/bin/sh\necho "Node 24 got $*"\n');
  const { ended } = launch([...olderNode, copy, 'x.ts', '--y']);
  expect(await ended()).toMatchObject({ code: 0, stdout: 'Node 24 got x.ts --y\n', stderr: '' });
});

test.each([
  ['has no platform package', undefined],
  ['cannot run the platform package', '#!/no/such/loader'],
])('an older Node on a system that %s ends with one line', async (_, node) => {
  const { code, stdout, stderr } = await launch([...olderNode, projectWith(node), 'x.ts']).ended();
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^error: The plant store needs Node 24 or later, and this is v20\.1\.0\. Run "npm ci".*\n$/,
  );
});

/** Returns the environment that npm sets if it runs on a Node of this version. */
function npmOn(version: string) {
  const node = join(temporaryFolder(), 'node');
  const script = `[ "$1" = --version ] && echo ${version} || echo "${version} got $*"`;
  writeFileSync(node, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { env: { ...process.env, npm_node_execpath: node } };
}

test('a new enough Node of your own runs the program, although npm prefers another', async () => {
  const { ended } = launch([projectWith(undefined), 'x.ts', '--y'], npmOn('v26.0.0'));
  expect(await ended()).toMatchObject({ code: 0, stdout: 'v26.0.0 got x.ts --y\n', stderr: '' });
});

test('the Node that npm prefers runs the program if your own is older', async () => {
  const file = program('console.log(process.execPath, process.env.npm_node_execpath);');
  const { ended } = launch([projectWith(undefined), file], npmOn('v22.1.0'));
  const { execPath } = process;
  expect(await ended()).toMatchObject({ code: 0, stdout: `${execPath} ${execPath}\n` });
});

test('a program whose packages are not installed ends with one line', async () => {
  const copy = projectWith(undefined);
  const dependencies = { first: '1.0.0' };
  const devDependencies = { '@scope/second': '1.0.0' };
  writeFileSync(
    join(copy, '..', '..', 'package.json'),
    JSON.stringify({ dependencies, devDependencies }),
  );
  mkdirSync(join(copy, '..', '..', 'node_modules', 'first'));
  expect(await launch([copy, 'x.ts']).ended()).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'error: The package @scope/second is not installed. Run "npm ci" first.\n',
  });
});

const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));
const commands: [string, string][] = Object.entries({
  ...read('package.json').scripts,
  'npx cdk': read('cdk.json').app,
});
test.each(commands.filter(([, command]) => /\bnode\b|\.ts\b/.test(command)))(
  '%s runs Node through the launcher',
  (_, command) => expect(command).toMatch(/^node bin\/node24\.mjs /),
);
