import { spawnSync } from 'node:child_process';
import { beforeAll, expect, test } from '@jest/globals';
import { codeBlocks, readCommands, readPage } from '../../docs/page.ts';
import { root } from '../../support/checkout.ts';
import { finallyDo } from '../../support/cleanup.ts';
import createPlant from '../../support/events/create-plant.json' with { type: 'json' };
import { freePort } from '../../support/http/free-port.ts';
import { startProgram } from '../../support/program.ts';

/** Free ports, instead of those in the page. */
const ports = { api: 0, database: 0, sam: 0 };
let address: string;

/** Returns a command of the page's section on SAM CLI alone, for this machine. */
function command(start: string): string {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'x86_64';
  const [, section = ''] =
    /^## SAM CLI alone\n([\s\S]*?)^## /m.exec(readPage('docs/local.md')) ?? [];
  const commands = codeBlocks(section, 'sh').flatMap(readCommands);
  const line = commands.find((line) => line.startsWith(start));
  if (line === undefined) {
    throw new Error(`The page has no command ${start}.`);
  }
  const options = `--memory --port ${ports.api} --dynamodb-port ${ports.database}`;
  return line
    .replace('architecture=x86_64', `architecture=${architecture}`)
    .replace('172.17.0.1', address)
    .replace('8000', `${ports.database}`)
    .replace('3001', `${ports.sam}`)
    .replace(/^npm start --/, `$& ${options}`);
}

/** Starts a command that keeps running, on free ports. Waits for a line that matches. */
async function serve(
  start: string,
  form: RegExp,
  choosePorts: () => Promise<void>,
  attempts = 3,
): Promise<string> {
  await choosePorts();
  const { child, ...program } = startProgram('sh', ['-c', command(start)], { detached: true });
  finallyDo(() => child.exitCode === null && process.kill(-Number(child.pid), 'SIGINT'));
  try {
    return await program.line(form);
  } catch (error) {
    // Another process may have taken a port before the command did.
    if (attempts > 1) {
      return serve(start, form, choosePorts, attempts - 1);
    }
    throw error;
  }
}

function run(line: string): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: root, encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`${line}\n${stderr}`);
  }
  return stdout;
}

/** Returns this machine's address on Docker's bridge, on Linux. */
function addressOfBridge(): string {
  const [, start] =
    /^((?:\d+\.){3})/.exec(
      run(`docker network inspect bridge --format '{{(index .IPAM.Config 0).Subnet}}'`),
    ) ?? [];
  return `${start}1`;
}

beforeAll(async () => {
  address = addressOfBridge();
  run(command('npx cdk synth'));
  await serve('npm start', /^Press Ctrl-C to stop/, async () => {
    ports.api = await freePort();
    ports.database = await freePort(address);
  });
  run(command('echo'));
});

test('sam local invoke creates, lists and deletes a plant with the events in test/support', () => {
  const create = command('sam local invoke CreatePlant');
  const list = create.replace('CreatePlant', 'ListPlants').replace('create-plant', 'list-plants');
  const remove = create
    .replace('CreatePlant', 'DeletePlant')
    .replace('create-plant', 'delete-plant');
  const results = [create, list, remove].map((line) => JSON.parse(run(line)));
  const { id, ...content } = JSON.parse(createPlant.body);
  const headers = { Location: `/v1/plants/${id}` };
  expect(results).toMatchObject([
    { statusCode: 201, headers, body: JSON.stringify(content) },
    { statusCode: 200, body: JSON.stringify([content]) },
    { statusCode: 204 },
  ]);
});

test('sam local start-api serves the API', async () => {
  const line = await serve('sam local start-api', /Running on/, async () => {
    ports.sam = await freePort();
  });
  const [baseUrl] = /http:\S+/.exec(line) ?? [];
  const headers = { Authorization: `Bearer ${run(`${command('TOKEN=')}; echo $TOKEN`).trim()}` };
  const response = await fetch(`${baseUrl}/plants`, { headers });
  expect([response.status, await response.text()]).toEqual([200, '[]']);
});
