import { execFileSync, spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, expect, jest, test } from '@jest/globals';
import { exampleId, examplePlant } from '../../../bin/command-line/example-plant.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { type Program, startProgram } from '../../support/program.ts';

// The contract takes minutes there, and a busy machine is slow to start anything.
jest.setTimeout(1_800_000);

const freePorts = ['--port', '0', '--dynamodb-port', '0'];

/** Starts a script of package.json as its users do. `npm run sam` gets free ports. */
function npmRun(
  script: 'contract' | 'sam',
  args: string[],
  environment: NodeJS.ProcessEnv = {},
): Program {
  const options = [...(script === 'sam' ? freePorts : []), ...args];
  return startProgram('npm', ['run', '-s', script, '--', ...options], {
    env: { ...process.env, ...environment },
    // A terminal too gives each program a process group of its own.
    detached: true,
    // The contract is a whole suite, which takes long on a busy machine.
    seconds: script === 'contract' ? 1800 : 240,
  });
}

const output = (command: string, args: string[]) =>
  execFileSync(command, args, { encoding: 'utf8' }).split('\n');

/** Returns the containers that a program has started and that still exist, running or not. */
function containersOf({ lines }: Program): string[] {
  const all = output('docker', ['ps', '--all', '--quiet', '--no-trunc']);
  return lines
    .flatMap((line) => /SAM_CONTAINER_ID: (\w+)/.exec(line)?.[1] ?? [])
    .filter((id) => all.includes(id));
}

/** Returns what a program has left behind: containers, and processes of SAM CLI. */
function leftBehind(program: Program): string[] {
  const processes = output('ps', ['-e', '-o', 'args']);
  const ofSam = processes.filter((args) => args.includes('sam') && args.includes('start-api'));
  return [...containersOf(program), ...ofSam];
}

const folder = temporaryFolder();
let program: Program;
const start = (args: string[], environment?: NodeJS.ProcessEnv) => {
  program = npmRun('sam', args, environment);
  return program;
};
/** Ends it by SIGTERM to npm. Whatever ended a program with containers, nothing is left of it. */
afterEach(async () => {
  program.child.kill('SIGTERM');
  await program.ended();
  if (program.lines.some((line) => firstContainer.test(line))) {
    expect(leftBehind(program)).toEqual([]);
  }
});

const ready = /^Press Ctrl-C to stop/;
const firstContainer = /SAM_CONTAINER_ID/;
const run = (command: string, ...args: string[]) =>
  spawnSync(command, args, { encoding: 'utf8' }).stdout;
const curls = () => program.lines.filter((line) => line.startsWith('  curl '));
/** Runs a curl line. Returns the status and the body of the answer. */
const answerTo = (curl = '') => {
  const output = run('sh', '-c', `${curl} -sS`);
  return `${output.split(' ')[1]} ${output.split('\n').at(-1)}`;
};
/** A terminal sends a signal to the whole group. */
const signalGroup = (signal: NodeJS.Signals) => process.kill(-Number(program.child.pid), signal);

const reaches = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host, port, timeout: 2000 }, () => resolve(true));
    socket.on('error', () => resolve(false)).on('timeout', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

const plant = JSON.stringify(examplePlant);

test('the curl lines work, no other machine reaches the database, Ctrl-C ends all', async () => {
  await start(['--data', folder, '--', '--skip-pull-image']).line(ready);
  expect(curls().map(answerTo)).toEqual([`201 ${plant}`, `200 [${plant}]`, '204 ']);

  await program.line(new RegExp(`DELETE /plants/${exampleId} HTTP`));
  expect(containersOf(program)).toHaveLength(4);

  const { hostname, port } = new URL(
    /^DynamoDB: +(\S+)/.exec(await program.line(/^DynamoDB:/))?.[1] ?? '',
  );
  expect(await reaches(hostname, Number(port))).toBe(true);
  for (const { address } of Object.values(networkInterfaces()).flatMap((list = []) => list)) {
    if (address !== hostname && !address.startsWith('fe80')) {
      expect([address, await reaches(address, Number(port))]).toEqual([address, false]);
    }
  }

  answerTo(curls()[0]);
  signalGroup('SIGINT');
  await program.ended();
  expect(await reaches(hostname, Number(port))).toBe(false);
});

test('what was stored is there after a restart, and SAM CLI passes the contract tests', async () => {
  const { baseUrl, dynamodbEndpoint } = JSON.parse(
    await start(['--json', '--data', folder]).line(/^\{"baseUrl"/),
  );
  const sam = program;
  const where = ['--base-url', baseUrl, '--dynamodb-endpoint', dynamodbEndpoint];
  const suite = npmRun('contract', ['--sam-local', ...where]);
  const { code } = await suite.ended();
  // The log of CI shows what was checked here, what was left out, and why.
  const isTold = (line: string) => code !== 0 || /^(Left out|Tests|Time): /.test(line);
  process.stdout.write(suite.lines.filter(isTold).join('\n'));
  expect(code).toBe(0);
  program = sam;
});

test('credentials of whoever runs it reach neither SAM CLI nor the functions', async () => {
  const own = {
    AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
    AWS_SESSION_TOKEN: 'example',
    AWS_PROFILE: 'nobody',
  };
  await start(['--memory'], own).line(ready);
  const format = ['--format', '{{json .Config.Env}}'];
  const inspected = run('docker', 'inspect', ...format, ...containersOf(program));
  const environments = inspected.trim().split('\n');
  expect(environments).toHaveLength(2);
  for (const variables of environments) {
    expect(variables).toContain('"AWS_ACCESS_KEY_ID=defaultkey"');
    expect(variables).not.toMatch(/EXAMPLE|=example"/);
  }
});

test('it can be ended while SAM CLI is starting its containers', async () => {
  await start(['--memory']).line(firstContainer);
  signalGroup('SIGTERM');
  await program.ended();
  expect(program.lines).not.toContainEqual(expect.stringMatching(/^error: /));
});

test.each([
  [
    'SAM CLI does not start, its words',
    ['--no-such-option'],
    'No such option: --no-such-option',
    /^error: SAM CLI has ended \(2\)\. Its lines above say why\.$/,
  ],
  [
    'the functions do not answer, SAM CLI’s words',
    ['--invoke-image', 'registry.invalid/nodejs:24'],
    'registry.invalid',
    /^error: A list of plants was answered with 502\. /,
  ],
])('if %s and a line of ours say so', async (_, options, words, line) => {
  expect(await start(['--memory', '--', ...options]).ended()).toMatchObject({ code: 1 });
  expect(program.lines).toContainEqual(expect.stringContaining(words));
  expect(program.lines.at(-1)).toMatch(line);
});

test('if Docker does not answer, a line says how to get it', async () => {
  const env = { ...process.env, DOCKER_HOST: 'unix:///nowhere.sock' };
  program = startProgram(process.execPath, ['bin/sam.ts', '--memory'], { env });
  const { code, stderr } = await program.ended();
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: Docker does not answer\. .*\n$/),
  ]);
});
