import { execFileSync, spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, expect, jest, test } from '@jest/globals';
import { exampleId, examplePlant } from '../../../lib/openapi/example-plant.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { type Program, startProgram } from '../../support/program.ts';

// The contract tests take minutes in SAM CLI, and a busy machine starts programs slowly.
jest.setTimeout(1_800_000);

const freePorts = ['--port', '0', '--dynamodb-port', '0'];

/** Starts a script of package.json through npm. `npm run sam` gets free ports. */
function npmRun(script: 'contract' | 'sam', args: string[]): Program {
  const options = [...(script === 'sam' ? freePorts : []), ...args];
  return startProgram('npm', ['run', '-s', script, '--', ...options], {
    // A terminal gives each program a process group of its own, too.
    detached: true,
    // The contract tests are a whole suite, which is slow on a busy machine.
    seconds: script === 'contract' ? 1800 : 240,
  });
}

const output = (command: string, args: string[]) =>
  execFileSync(command, args, { encoding: 'utf8' }).split('\n');

/** Returns the containers that a program started and that still exist, running or not. */
function findContainers({ lines }: Program): string[] {
  const all = output('docker', ['ps', '--all', '--quiet', '--no-trunc']);
  return lines
    .flatMap((line) => /SAM_CONTAINER_ID: (\w+)/.exec(line)?.[1] ?? [])
    .filter((id) => all.includes(id));
}

/** Returns the containers and the processes of SAM CLI that a program left behind. */
function findLeftBehind(program: Program): string[] {
  const processes = output('ps', ['-e', '-o', 'args']);
  const ofSam = processes.filter((args) => args.includes('sam') && args.includes('start-api'));
  return [...findContainers(program), ...ofSam];
}

const folder = temporaryFolder();
let program: Program;
const start = (args: string[]) => {
  program = npmRun('sam', args);
  return program;
};
/** Sends SIGTERM to npm. A program with containers must leave none behind, however it stopped. */
afterEach(async () => {
  program.child.kill('SIGTERM');
  await program.ended();
  if (program.lines.some((line) => firstContainer.test(line))) {
    expect(findLeftBehind(program)).toEqual([]);
  }
});

const ready = /^Press Ctrl-C to stop/;
const firstContainer = /SAM_CONTAINER_ID/;
const curls = () => program.lines.filter((line) => line.startsWith('  curl '));
/** Runs a curl line. Returns the status and the body of the response. */
const responseTo = (curl = '') => {
  const { stdout } = spawnSync('sh', ['-c', `${curl} -sS`], { encoding: 'utf8' });
  return `${stdout.split(' ')[1]} ${stdout.split('\n').at(-1)}`;
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

test('the curl lines work, the database has one address, Ctrl-C stops everything', async () => {
  await start(['--data', folder, '--', '--skip-pull-image']).line(ready);
  expect(curls().map(responseTo)).toEqual([`201 ${plant}`, `200 [${plant}]`, '204 ']);

  expect(program.lines).not.toContainEqual(expect.stringContaining('Cannot detect function id'));
  await program.line(new RegExp(`DELETE /plants/${exampleId} HTTP`));
  expect(findContainers(program)).toHaveLength(4);

  const { hostname, port } = new URL(/http\S+/.exec(await program.line(/^DynamoDB:/))?.[0] ?? '');
  expect(await reaches(hostname, Number(port))).toBe(true);
  for (const { address } of Object.values(networkInterfaces()).flatMap((list = []) => list)) {
    if (address !== hostname && !address.startsWith('fe80')) {
      expect([address, await reaches(address, Number(port))]).toEqual([address, false]);
    }
  }

  responseTo(curls()[0]);
  signalGroup('SIGINT');
  await program.ended();
  expect(await reaches(hostname, Number(port))).toBe(false);
});

test('stored plants survive a restart, and SAM CLI passes the contract tests', async () => {
  const { baseUrl, dynamodbEndpoint } = JSON.parse(
    await start(['--json', '--data', folder]).line(/^\{"baseUrl"/),
  );
  const where = ['--base-url', baseUrl, '--dynamodb-endpoint', dynamodbEndpoint];
  const suite = npmRun('contract', ['--sam-local', ...where]);
  const { code } = await suite.ended();
  // The log of CI shows which tests ran, which were left out, and why.
  const isShown = (line: string) => code !== 0 || /^(Left out|Tests|Time): /.test(line);
  process.stdout.write(suite.lines.filter(isShown).join('\n'));
  expect(code).toBe(0);
});

test('npm run sam can be stopped while SAM CLI starts its containers', async () => {
  await start(['--memory']).line(firstContainer);
  signalGroup('SIGTERM');
  await program.ended();
  expect(program.lines).not.toContainEqual(expect.stringMatching(/^error: /));
});

test('if the functions cannot start, the output of SAM CLI and an error say so', async () => {
  const image = ['--invoke-image', 'registry.invalid/nodejs:24'];
  expect(await start(['--memory', '--', ...image]).ended()).toMatchObject({ code: 1 });
  expect(program.lines).toContainEqual(expect.stringContaining('registry.invalid'));
  expect(program.lines.at(-1)).toMatch(/^error: GET \/plants returned 502\. /);
});
