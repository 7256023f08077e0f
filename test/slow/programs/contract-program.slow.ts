import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { announce } from '../../../bin/command-line/running.ts';
import { listTokens } from '../../../functions/access-tokens/administration.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { type Database, startDatabase } from '../../../lib/offline/database.ts';
import { certificateFiles } from '../../support/certificate.ts';
import { root } from '../../support/checkout.ts';
import { finallyDo, temporaryFolder } from '../../support/cleanup.ts';
import { startConnectProxy } from '../../support/http/connect-proxy.ts';
import { describeStack } from '../../support/http/described-stack.ts';
import { serve, startForwarder } from '../../support/http/servers.ts';
import { testOnPosix } from '../../support/posix.ts';
import { type Program, startProgram } from '../../support/program.ts';
import { type Service, startService } from '../../support/service/service.ts';

// The deployed stack is a whole service, with a small CloudFormation that returns its outputs. A
// server in front of it, with TLS and behind a proxy, throttles every third request and can spoil
// responses.

type Spoil = NonNullable<Parameters<typeof startForwarder>[1]['spoil']>;
const proxy = await startConnectProxy();
let engine: Database;
let service: Service;
let spoil: Spoil;
let calls = 0;
let isThrottled: () => boolean;
let baseUrl: string;
/** Environment variables that make the service the deployed stack. */
let deployed: Record<string, string>;

beforeAll(async () => {
  engine = await startDatabase({ port: 0 });
  finallyDo(engine.stop);
  service = await startService(engine.endpoint, 1);
  finallyDo(service.stop);
  const front = await startForwarder(service.baseUrl, {
    throttle: () => ++calls % 3 === 0 || isThrottled(),
    spoil: (...response) => spoil(...response),
    tls: certificateFiles,
  });
  baseUrl = `${front}/v1`;
  const outputs = {
    PlantsTableName: tableIds.plants,
    AccessTokensTableName: tableIds.accessTokens,
    BaseUrl: baseUrl,
  };
  deployed = {
    AWS_ENDPOINT_URL_CLOUDFORMATION: await serve((_, response) =>
      response.end(describeStack('PlantStore', outputs)),
    ),
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_REGION: 'local',
    AWS_CA_BUNDLE: certificateFiles.certificate,
    HTTPS_PROXY: proxy.origin,
  };
});
beforeEach(() => {
  spoil = (status) => status;
  isThrottled = () => false;
});

const stack = ['--stack', 'PlantStore'];
/** Leaves out the long tables of the suite. A few plants are still created. */
const except = [
  '--except',
  ...['returns 4', 'an error names', 'of a body is', 'returned exactly', 'may contain', 'have'],
  ...['at most', 'links'],
  ...[
    'concurrent',
    'can be written as',
    'may be of the type',
    'a list has',
    'a cursor',
    'only AWS',
  ],
];

/** Runs the program. Returns its exit code and its output. */
async function contract(
  args: string[],
  { env = deployed, cwd = temporaryFolder(), onStart = async (_: Program) => {} } = {},
) {
  const programs = ['bin/node24.mjs', 'test/contract/program/contract.ts'];
  const command = [...programs.map((file) => join(root, file)), ...args];
  const { PATH } = process.env;
  const program = startProgram(process.execPath, command, {
    cwd,
    env: {
      PATH,
      HOME: cwd,
      AWS_EC2_METADATA_DISABLED: 'true',
      // The program and its Jest wait in real time.
      NODE_OPTIONS: '',
      ...env,
    },
  });
  await onStart(program);
  const { code, stdout, stderr } = await program.ended();
  expect(stdout + stderr).not.toMatch(/pst_\w{12}_\w/);
  return { code, output: stdout + stderr };
}

async function expectCleanEnd() {
  const all = await listTokens(service.database, tableIds.accessTokens);
  expect(all.filter((token) => 'label' in token && token.label === 'npm run contract')).toEqual([]);
  const plants = new ScanCommand({ TableName: tableIds.plants, Select: 'COUNT' });
  expect((await service.database.send(plants)).Count).toBe(0);
}

const testSignals = testOnPosix('a process cannot handle the signals of another one there');

testSignals('a deployed stack is tested with new tokens, also after Ctrl-C', async () => {
  const { code, output } = await contract(stack, {
    async onStart({ child, waitFor }) {
      await waitFor('twenty calls', () => calls > 20);
      // Ctrl-C reaches the program several times at once.
      child.kill('SIGINT');
      child.kill('SIGINT');
    },
  });
  expect(output).toContain('Using the stack PlantStore in eu-west-1 of the account 111122223333.');
  expect(output).toContain(`Testing ${baseUrl}, the stack PlantStore. About 1200 plants are`);
  expect(output).toContain('Waiting for the tests to delete their plants.');
  // The suite and the program keep their connections.
  expect(new Set(proxy.asked)).toEqual(new Set([new URL(baseUrl).host]));
  expect(output).toMatch(/Tests: +\d{3} passed/);
  expect(output).toMatch(/^A revoked token got 401 after \d+ s/m);
  expect(code).toBe(0);
  await expectCleanEnd();
});

test('a response of npm start that breaks the contract fails the run, which names it and deletes everything', async () => {
  const cwd = temporaryFolder();
  const front = await startForwarder(service.baseUrl, {
    texts: { '/instance': 'announced' },
    spoil: (...response) => spoil(...response),
  });
  const baseUrl = `${front}/v1`;
  process.chdir(cwd);
  announce({
    instance: 'announced',
    processId: process.pid,
    baseUrl,
    dynamodbEndpoint: engine.endpoint,
  });
  process.chdir(root);
  spoil = (status, headers) => {
    if (status === 409) {
      delete headers['x-content-type-options'];
    }
    return status;
  };
  const { code, output } = await contract(['--localhost', ...except], { cwd, env: {} });
  expect(output).toContain(`Testing ${baseUrl}, the running "npm start".`);
  expect(output).toContain(
    'POST /plants returned 409: the header X-Content-Type-Options is missing.',
  );
  expect(output).toMatch(/Tests: +1 failed, \d+ skipped, \d\d passed/);
  expect(output).toContain(`\nerror: ${baseUrl} breaks the contract`);
  expect(code).toBe(1);
  await expectCleanEnd();
});

test('a stack whose base URL is not https: gets no token', async () => {
  const outputs = { PlantsTableName: 'Plants', AccessTokensTableName: 'AccessTokens' };
  const asked: unknown[] = [];
  const BaseUrl = await serve((request, response) => {
    asked.push(request.url);
    response.writeHead(401).end();
  });
  const AWS_ENDPOINT_URL_CLOUDFORMATION = await serve((_, response) =>
    response.end(describeStack('PlantStore', { ...outputs, BaseUrl })),
  );
  const env = { ...deployed, AWS_ENDPOINT_URL_CLOUDFORMATION };
  const { code, output } = await contract(stack, { env });
  expect(output).toContain(
    `error: The stack PlantStore has the output BaseUrl "${BaseUrl}". It is`,
  );
  expect({ code, asked }).toEqual({ code: 1, asked: [] });
  await expectCleanEnd();
});

test('no API is guessed for a database', async () => {
  const { code, output } = await contract(['--dynamodb-endpoint', engine.endpoint], { env: {} });
  const line = `error: No API is known for ${engine.endpoint}. Name it with --base-url.\n`;
  expect({ code, output }).toEqual({ code: 1, output: line });
});

test('a server that does not respond is named', async () => {
  const silent = await serve(() => {});
  const { code, output } = await contract([...stack, '--base-url', silent]);
  const line = /\nerror: http:\S+ does not respond \(.*\)\. Start it, or .*\n$/;
  expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(line) });
});

test('a server that returns 404 is not a plant store', async () => {
  const other = await serve((_, response) => response.writeHead(404).end());
  const { code, output } = await contract([...stack, '--base-url', other]);
  const line = `error: ${other}/plants returned 404, but a plant store returns 401.`;
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(line) });
});

test('a stage that API Gateway does not know yet is waited for, and another 403 is not', async () => {
  const statuses = [403, 403, 404];
  const fresh = await serve((_, response) =>
    response
      .writeHead(statuses.shift() ?? 500)
      .end(JSON.stringify({ message: 'Missing Authentication Token' })),
  );
  const waited = await contract([...stack, '--base-url', fresh]);
  expect(waited.output).toContain(`API Gateway does not know ${fresh} yet. Waiting`);
  expect(waited.output).toContain(`${fresh}/plants returned 404`);

  const outside = await serve((_, response) =>
    response.writeHead(403).end(JSON.stringify({ message: 'Forbidden' })),
  );
  const told = await contract([...stack, '--base-url', outside]);
  expect(told.output).not.toContain('Waiting');
  expect(told.output).toContain(`error: ${outside}/plants returned 403`);
});

test('a base URL that is not a URL fails with one line', async () => {
  const { code, output } = await contract(['--base-url', 'localhost'], { env: {} });
  expect(output).toMatch(/^error: [^\n]* A base URL looks like [^\n]*\n$/);
  expect(code).toBe(1);
});

// The last tests, because these leave plants behind.
const interrupted =
  /\nerror: interrupted\. Plants of contract-\S+-a and contract-\S+-b may remain\. Remove .*\n$/;

testSignals('a second Ctrl-C stops the suite', async () => {
  const start = calls;
  // The suite cannot end before.
  isThrottled = () => calls > start + 20;
  const { code, output } = await contract([...stack, ...except], {
    async onStart({ child, lines, waitFor }) {
      await waitFor('twenty calls', () => isThrottled());
      await waitFor('an error', () => {
        child.kill('SIGINT');
        return lines.some((line) => line.startsWith('error:'));
      });
    },
  });
  expect(output).not.toContain('Tests:');
  expect(output).toMatch(interrupted);
  // A signal kills a Node that is about to exit.
  expect([1, null]).toContain(code);
});

testSignals('a Ctrl-C that reaches the tests too, as on Windows, interrupts them', async () => {
  const asWindows =
    'data:text/javascript,Object.defineProperty(process,"platform",{value:"win32"})';
  const program = join(root, 'test/contract/program/contract.ts');
  const start = calls;
  const { child, waitFor, ended } = startProgram(
    process.execPath,
    ['--import', asWindows, program, ...stack, ...except],
    { env: { ...process.env, ...deployed, NODE_OPTIONS: '' }, detached: true },
  );
  await waitFor('twenty calls', () => calls > start + 20);
  process.kill(-Number(child.pid), 'SIGINT');
  const { code, stdout, stderr } = await ended();
  expect(stdout + stderr).not.toContain('Tests:');
  expect(stderr).not.toContain('Waiting for the tests');
  expect(stderr).toMatch(interrupted);
  expect(code).toBe(1);
});
