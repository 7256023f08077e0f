import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../support/cleanup.ts';
import { type Program, startProgram } from '../../support/program.ts';
import { containersOf, freePorts, leftBehind, npmRun } from './sam-local.ts';

const folder = temporaryFolder();
let program: Program;
const start = (...args: string[]) => {
  program = npmRun('sam', [...freePorts, ...args]);
  return program;
};
afterEach(async () => {
  program.child.kill('SIGTERM');
  await program.ended();
});

const ready = /^Ctrl-C ends it/;
const firstContainer = /SAM_CONTAINER_ID/;
const curls = () => program.lines.filter((line) => line.startsWith('  curl '));
const run = (command: string, ...args: string[]) =>
  spawnSync(command, args, { encoding: 'utf8' }).stdout;
const sh = (line = '') => run('sh', '-c', line);
/** A terminal sends a signal to the whole group. */
const signalGroup = (signal: NodeJS.Signals) => process.kill(-Number(program.child.pid), signal);

const reaches = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host, port, timeout: 2000 }, () => resolve(true));
    socket.on('error', () => resolve(false)).on('timeout', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

test('the curl lines work, no other machine reaches the database, Ctrl-C ends all', async () => {
  await start('--data', folder, '--', '--skip-pull-image').line(ready);
  expect(curls().map((line) => sh(`${line} -sS`))).toEqual([
    expect.stringMatching(/^HTTP\/1.1 201 [\s\S]*\{"name":"Monstera","tag":"indoor"\}$/),
    expect.stringMatching(/^HTTP\/1.1 200 [\s\S]*\[\{"name":"Monstera","tag":"indoor"\}\]$/),
    expect.stringMatching(/^HTTP\/1.1 204 /),
  ]);

  await program.line(/DELETE \/plants\/1 HTTP/);
  expect(containersOf(program)).toHaveLength(4);

  const { hostname, port } = new URL(
    /^DynamoDB: +(\S+)/.exec(await program.line(/^DynamoDB:/))?.[1] ?? '',
  );
  expect(await reaches(hostname, Number(port))).toBe(true);
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) =>
    list.map(({ address }) => address),
  );
  for (const host of addresses)
    if (host !== hostname && !host.startsWith('fe80'))
      expect([host, await reaches(host, Number(port))]).toEqual([host, false]);

  signalGroup('SIGINT');
  await program.ended();
  expect(leftBehind(program)).toEqual([]);
  expect(await reaches(hostname, Number(port))).toBe(false);
});

test('credentials of whoever runs it reach neither SAM CLI nor the functions', async () => {
  const own = {
    AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    AWS_SESSION_TOKEN: 'example',
    AWS_PROFILE: 'nobody',
  };
  program = npmRun('sam', ['--memory', ...freePorts], own);
  await program.line(ready);
  const format = ['--format', '{{json .Config.Env}}'];
  const inspected = run('docker', 'inspect', ...format, ...containersOf(program));
  const environments = inspected
    .trim()
    .split('\n')
    .map((line): string[] => JSON.parse(line));
  expect(environments).toHaveLength(2);
  for (const variables of environments) {
    expect(variables).toContain('AWS_ACCESS_KEY_ID=defaultkey');
    expect(variables.filter((variable) => /EXAMPLE|=example$/.test(variable))).toEqual([]);
  }
});

test('what was stored is there after a restart, and SIGTERM to npm leaves nothing', async () => {
  await start('--data', folder).line(ready);
  const [create, list] = curls();
  sh(create);
  program.child.kill('SIGTERM');
  await program.ended();
  expect(leftBehind(program)).toEqual([]);

  await start('--data', folder).line(ready);
  const [, again] = curls();
  expect(again).not.toBe(list);
  expect(sh(again)).toMatch(/\[\{"name":"Monstera","tag":"indoor"\}\]$/);
});

test('ended while SAM CLI is starting its containers, it leaves nothing behind', async () => {
  await start('--memory').line(firstContainer);
  signalGroup('SIGTERM');
  await program.ended();
  expect(leftBehind(program)).toEqual([]);
});

test.each([
  [
    'SAM CLI does not start, its words',
    ['--no-such-option'],
    'No such option: --no-such-option',
    /^error: SAM CLI ended before it was ready \(2\)\.$/,
  ],
  [
    'the functions do not answer, SAM CLI’s words',
    ['--invoke-image', 'registry.invalid/nodejs:24'],
    'registry.invalid',
    /^error: A list of plants was answered with 502; /,
  ],
])('if %s and a line of ours say so', async (_, options, words, line) => {
  expect(await start('--memory', '--', ...options).ended()).toMatchObject({ code: 1 });
  expect(program.lines).toContainEqual(expect.stringContaining(words));
  expect(program.lines.at(-1)).toMatch(line);
});

test.each<[string, NodeJS.ProcessEnv, RegExp[]]>([
  [
    'without SAM CLI and Docker there is a line on each that says how to get it',
    { PATH: '/nowhere' },
    [/There is no Docker: get it from https:/, /There is no SAM CLI: get it from https:/],
  ],
  [
    'where Docker does not run there is a line that says to start it',
    { ...process.env, DOCKER_HOST: 'unix:///nowhere.sock' },
    [/^error: Docker does not answer: start it \("docker info" says more\)\.$/],
  ],
])('%s', async (_, env, lines) => {
  program = startProgram(process.execPath, ['bin/sam.ts'], { env });
  const { code, stderr } = await program.ended();
  const expected = lines.map((line) => expect.stringMatching(line));
  expect([code, stderr.trim().split('\n')]).toEqual([1, expected]);
});
