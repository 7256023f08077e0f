import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { listTokens } from '../../../lib/tokens/tokens.ts';
import { certificateFiles } from '../../support/certificate.ts';
import { root } from '../../support/checkout.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { openDatabase } from '../../support/database/engine.ts';
import { startConnectProxy } from '../../support/http/connect-proxy.ts';
import { describeStack } from '../../support/http/described-stack.ts';
import { serve, startForwarder } from '../../support/http/servers.ts';
import { testOnPosix } from '../../support/posix.ts';
import { type Program, startProgram } from '../../support/program.ts';
import { startService } from '../../support/service/service.ts';

// The deployed stack is a whole service, with a small CloudFormation that returns its outputs. A
// server in front of it, with TLS and behind a proxy, throttles every third request.

const proxy = await startConnectProxy();
const engine = await openDatabase();
const service = await startService(engine.endpoint, 1);

let calls = 0;
const front = await startForwarder(service.baseUrl, {
  throttle() {
    calls += 1;
    return calls % 3 === 0;
  },
  tls: certificateFiles,
});
const baseUrl = `${front}/v1`;

const stack = ['--stack', 'PlantStore'];
const tables = { PlantsTableName: tableIds.plants, AccessTokensTableName: tableIds.accessTokens };
/** Starts a CloudFormation with the stack. Returns its origin. */
const startCloudFormation = (BaseUrl: string) =>
  serve((_, response) => response.end(describeStack('PlantStore', { ...tables, BaseUrl })));
/** Environment variables that make the service the deployed stack. */
const deployed = {
  AWS_ENDPOINT_URL_CLOUDFORMATION: await startCloudFormation(baseUrl),
  AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_REGION: 'local',
  AWS_CA_BUNDLE: certificateFiles.certificate,
  HTTPS_PROXY: proxy.origin,
};
const usingStack = 'Using the stack PlantStore in eu-west-1 of the account 111122223333.\n';

/** Leaves out the long tables of the suite. A few plants are still created. */
const except = [
  ...['--except', 'returns 4', 'an error names', 'of a body is', 'returned exactly', 'may contain'],
  ...['have', 'at most', 'links', 'concurrent', 'can be written as', 'may be of the type'],
  ...['a list has', 'a cursor', 'only AWS'],
];

/** Runs the program. Returns its exit code and its output. */
async function contract(
  args: string[],
  { env = deployed as Record<string, string>, onStart = async (_: Program) => {} } = {},
) {
  const programs = ['bin/node24.mjs', 'test/contract/program/contract.ts'];
  const command = [...programs.map((file) => join(root, file)), ...args];
  const program = startProgram(process.execPath, command, {
    cwd: temporaryFolder(),
    // The program and its Jest wait in real time.
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  await onStart(program);
  const { code, stdout, stderr } = await program.ended();
  expect(stdout + stderr).not.toMatch(/pst_\w{12}_\w/);
  return { code, output: stdout + stderr };
}

async function expectCleanEnd() {
  const all = await listTokens(service.database, tableIds.accessTokens);
  expect(
    all.filter((token) => token.kind !== 'whole' || token.record.label === 'npm run contract'),
  ).toEqual([]);
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
  expect(output).toContain(usingStack);
  expect(output).toContain(
    `Testing ${baseUrl} with the stack PlantStore in eu-west-1 of the account 111122223333. About 1200 plants are`,
  );
  expect(output).toContain('Waiting for the tests to delete their plants.');
  // The suite and the program keep their connections.
  expect(new Set(proxy.asked)).toEqual(new Set([new URL(baseUrl).host]));
  expect(output).toMatch(/Tests: +\d{3} passed/);
  expect(output).toMatch(/^A revoked token got 401 after \d+ s/m);
  expect(code).toBe(0);
  await expectCleanEnd();
});

test('a response of npm start that breaks the contract fails the run, which names it and deletes everything', async () => {
  const front = await startForwarder(service.baseUrl, {
    spoil(headers, status) {
      if (status === 409) {
        delete headers['x-content-type-options'];
      }
    },
  });
  const baseUrl = `${front}/v1`;
  const target = ['--dynamodb-endpoint', engine.endpoint, '--base-url', baseUrl];
  const { code, output } = await contract([...target, ...except], { env: {} });
  expect(output).toContain(`Testing ${baseUrl} with the database at ${engine.endpoint}.`);
  expect(output).toContain(
    'POST /plants returned 409: the header X-Content-Type-Options is missing.',
  );
  expect(output).toMatch(/Tests: +2 failed, \d+ skipped, \d\d passed/);
  expect(output).toContain(`\nerror: ${baseUrl} breaks the contract`);
  expect(code).toBe(1);
  await expectCleanEnd();
});

test('a stack whose base URL is not https: gets no token', async () => {
  const asked: unknown[] = [];
  const insecure = await serve((request, response) => {
    asked.push(request.url);
    response.writeHead(401).end();
  });
  const env = { ...deployed, AWS_ENDPOINT_URL_CLOUDFORMATION: await startCloudFormation(insecure) };
  const { code, output } = await contract(stack, { env });
  expect(output).toContain(
    `error: The stack PlantStore has the output BaseUrl "${insecure}". It is`,
  );
  expect({ code, asked }).toEqual({ code: 1, asked: [] });
  await expectCleanEnd();
});

/** Starts a server that responds with these statuses, one each, and with 404 after them. */
const respondWith = (message: string, ...statuses: number[]) =>
  serve((_, response) =>
    response.writeHead(statuses.shift() ?? 404).end(JSON.stringify({ message })),
  );

const silent = await serve(() => {});
const outside = await respondWith('Forbidden', 403);
const fresh = await respondWith('Missing Authentication Token', 403, 403);
const waiting = `API Gateway does not know ${fresh} yet\\. Waiting for up to a minute\\.\n`;
test.each([
  {
    what: 'a database whose API is not known',
    args: ['--dynamodb-endpoint', engine.endpoint],
    printed: `Using the database at ${engine.endpoint}\\.\nerror: The API with the database .* is not known\\. Name it with --base-url\\.`,
  },
  {
    what: 'a base URL that is not a URL',
    args: ['--base-url', 'localhost'],
    printed: 'error: .* A base URL looks like .*',
  },
  {
    what: 'a server that does not respond',
    args: [...stack, '--base-url', silent],
    printed: `${usingStack}error: ${silent} does not respond \\(.*\\)\\. Start it, or .*`,
  },
  {
    what: 'a 403 that is not of an unknown stage',
    args: [...stack, '--base-url', outside],
    printed: `${usingStack}error: ${outside}/plants returned 403, but .*`,
  },
  {
    what: 'a stage that API Gateway does not know yet, and that returns 404 later,',
    args: [...stack, '--base-url', fresh],
    printed: `${waiting}${usingStack}error: ${fresh}/plants returned 404, but a plant store returns 401\\. .*`,
  },
])('$what fails with one line', async ({ args, printed }) => {
  const env = args.includes('--stack') ? deployed : {};
  const output = expect.stringMatching(`^${printed}\n$`);
  expect(await contract(args, { env })).toEqual({ code: 1, output });
});

// The last test, because it leaves plants behind.
const interrupted =
  /\nerror: interrupted\. Plants of contract-\S+-a and contract-\S+-b may remain\. Remove .*\n$/;

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
