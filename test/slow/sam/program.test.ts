import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { root } from '../../support/project.ts';
import { containersOf, leftBehind, npmRun, type Program } from './sam-local.ts';

const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

let program: Program | undefined;
afterEach(async () => {
  program?.process.kill('SIGTERM');
  await program?.ended;
});

const freePorts = ['--port', '0', '--dynamodb-port', '0'];
const ready = /^Ctrl-C ends it/;
const firstContainer = /SAM_CONTAINER_ID/;

const reaches = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host, port, timeout: 2000 }, () => resolve(true));
    socket.on('error', () => resolve(false)).on('timeout', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

test('the curl lines work, no other machine reaches the database, Ctrl-C ends all', async () => {
  program = npmRun('sam', [...freePorts, '--data', folder, '--', '--skip-pull-image']);
  await program.line(ready);
  const answers = program.lines
    .filter((line) => line.startsWith('  curl '))
    .map((line) => spawnSync('sh', ['-c', `${line} -sS`], { encoding: 'utf8' }).stdout);
  expect(answers).toEqual([
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
  const others = Object.values(networkInterfaces()).flatMap((list = []) =>
    list.map(({ address }) => address),
  );
  for (const host of others.filter(
    (address) => address !== hostname && !address.startsWith('fe80'),
  )) {
    expect([host, await reaches(host, Number(port))]).toEqual([host, false]);
  }

  // A terminal sends it to the whole group.
  process.kill(-(program.process.pid ?? 0), 'SIGINT');
  await eventually('the end of npm run sam', program.ended, { seconds: 120 });
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
  const { stdout } = spawnSync(
    'docker',
    ['inspect', '--format', '{{json .Config.Env}}', ...containersOf(program)],
    { encoding: 'utf8' },
  );
  const environments = stdout
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
  program = npmRun('sam', [...freePorts, '--data', folder]);
  await program.line(ready);
  const [create = '', list = ''] = program.lines.filter((line) => line.startsWith('  curl '));
  spawnSync('sh', ['-c', create]);
  program.process.kill('SIGTERM');
  await eventually('the end of npm run sam', program.ended, { seconds: 120 });
  expect(leftBehind(program)).toEqual([]);

  program = npmRun('sam', [...freePorts, '--data', folder]);
  await program.line(ready);
  const again = program.lines.find((line) => line.startsWith('  curl ') && !line.includes('-d '));
  expect(again).not.toBe(list);
  expect(spawnSync('sh', ['-c', `${again}`], { encoding: 'utf8' }).stdout).toMatch(
    /\[\{"name":"Monstera","tag":"indoor"\}\]$/,
  );
});

test('ended while SAM CLI is starting its containers, it leaves nothing behind', async () => {
  program = npmRun('sam', ['--memory', ...freePorts]);
  await program.line(firstContainer);
  process.kill(-(program.process.pid ?? 0), 'SIGTERM');
  await eventually('the end of npm run sam', program.ended, { seconds: 120 });
  expect(leftBehind(program)).toEqual([]);
});

test('if SAM CLI does not start, its words and a line of ours say so', async () => {
  program = npmRun('sam', ['--memory', ...freePorts, '--', '--no-such-option']);
  expect(await eventually('its end', program.ended, { seconds: 120 })).toBe(1);
  expect(program.lines).toContainEqual(expect.stringContaining('No such option: --no-such-option'));
  expect(program.lines.at(-1)).toMatch(/^error: SAM CLI ended before it was ready \(2\)\.$/);
});

test('if the functions do not answer, SAM CLI’s words and a line of ours say so', async () => {
  program = npmRun('sam', [
    '--memory',
    ...freePorts,
    '--',
    '--invoke-image',
    'registry.invalid/nodejs:24',
  ]);
  expect(await eventually('its end', program.ended, { seconds: 120 })).toBe(1);
  expect(program.lines).toContainEqual(expect.stringContaining('registry.invalid'));
  expect(program.lines.at(-1)).toMatch(/^error: A list of plants was answered with 502; /);
});

test('without SAM CLI and Docker there is a line on each that says how to get it', async () => {
  const tools = { PATH: '/nowhere' };
  const { status, stderr } = spawnSync(process.execPath, ['bin/sam.ts'], {
    cwd: root,
    encoding: 'utf8',
    env: tools,
  });
  expect([status, stderr.trim().split('\n')]).toEqual([
    1,
    [
      expect.stringMatching(/There is no Docker: get it from https:/),
      expect.stringMatching(/There is no SAM CLI: get it from https:/),
    ],
  ]);
});

test('where Docker does not run there is a line that says to start it', async () => {
  const elsewhere = { ...process.env, DOCKER_HOST: 'unix:///nowhere.sock' };
  const { status, stderr } = spawnSync(process.execPath, ['bin/sam.ts'], {
    cwd: root,
    encoding: 'utf8',
    env: elsewhere,
  });
  expect([status, stderr.trim()]).toEqual([
    1,
    'error: Docker does not answer: start it ("docker info" says more).',
  ]);
});
