import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from '@jest/globals';
import { listTokens } from '../../../bin/administration/access-tokens.ts';
import { announce } from '../../../bin/command-line/running.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { metricsOfFailure } from '../../contract/program/deployment.ts';
import { forge } from '../../support/access-tokens/forge.ts';
import { root } from '../../support/checkout.ts';
import { finallyDo, temporaryFolder } from '../../support/cleanup.ts';
import { describedStack } from '../../support/http/described-stack.ts';
import { serve, startForwarder } from '../../support/http/servers.ts';
import { testOnPosix } from '../../support/posix.ts';
import { startProgram } from '../../support/program.ts';
import { startService } from '../../support/service/service.ts';

// The deployed stack is a whole service, with a small CloudFormation that names its outputs. In
// front of it stands a server that turns every third request away and can spoil answers.

const service = await startService({ authorizerCache: 1 });
finallyDo(service.stop);
type Spoil = NonNullable<Parameters<typeof startForwarder>[1]['spoil']>;
let spoil: Spoil;
let calls = 0;
const front = await startForwarder(service.baseUrl, {
  throttle: () => ++calls % 3 === 0,
  spoil: (...answer) => spoil(...answer),
});
const baseUrl = `${front}/v1`;
const outputs = { AccessTokensTableName: tableIds.accessTokens, BaseUrl: baseUrl };
const cloudFormation = await serve((_, response) =>
  response.end(describedStack('PlantStore', outputs)),
);
/** The metrics of CloudWatch that have data. */
let counting: string[];
const cloudWatch = await serve(async (request, response) => {
  const { MetricName, Namespace } = JSON.parse(await text(request));
  const Datapoints = counting.includes(`${Namespace} ${MetricName}`) ? [{ Sum: 1 }] : [];
  response.end(JSON.stringify({ Datapoints, Label: MetricName }));
});
beforeEach(() => {
  spoil = (status) => status;
  counting = ['AWS/ApiGateway 5XXError', 'PlantStore AuthorizerFailed'];
});

const stack = ['--stack', 'PlantStore'];
/** The environment in which the stand-in is the deployed stack. */
const deployed = {
  AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation,
  AWS_ENDPOINT_URL_CLOUDWATCH: cloudWatch,
  AWS_ENDPOINT_URL_DYNAMODB: service.databaseEndpoint,
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_REGION: 'local',
};

type Signal = (name: NodeJS.Signals) => void;
const programs = ['bin/node24.mjs', 'test/contract/program/contract.ts'];
// An npm start may run in the project's own folder.
const elsewhere = temporaryFolder();
/** Runs the program. Returns its exit code with what it printed. */
async function contract(
  args: string[],
  { env = deployed as object, cwd = elsewhere, onStart = (_: Signal) => {} } = {},
) {
  const command = [...programs.map((file) => join(root, file)), ...args];
  const { child, ended } = startProgram(process.execPath, command, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, AWS_EC2_METADATA_DISABLED: 'true', ...env },
    // The whole suite runs in it.
    seconds: 280,
  });
  onStart((signal) => child.kill(signal));
  const { code, stdout, stderr } = await ended();
  expect(stdout + stderr).not.toMatch(/pst_\w{12}_\w/);
  return { code, output: stdout + stderr };
}

/** Leaves out the long tables of the suite. */
const quick = [
  'is refused with',
  'is refused:',
  'an id may be',
  'comes back',
  'at most 1000',
  'unknown operation',
  'each of its statuses',
  'every part of a request',
];
/** Leaves out more, for what happens around the suite. A few plants are still created. */
const few = [
  ...quick,
  'a list has',
  'a list shows',
  'a page',
  'the links',
  'a cursor',
  'concurrent',
  'of another owner',
  'can be written as',
  'may be of the type',
];
const except = ['--except', ...few, 'only AWS settles'];

/** Expects that `token list` shows none of a run's tokens. */
async function expectNoTokens() {
  const all = await listTokens(service.database, tableIds.accessTokens);
  expect(all.filter(({ label }) => label === 'npm run contract')).toEqual([]);
}
async function expectCleanEnd() {
  await expectNoTokens();
  const plants = new ScanCommand({ TableName: tableIds.plants, Select: 'COUNT' });
  expect((await service.database.send(plants)).Count).toBe(0);
}

test('a deployed stack is tested with new tokens, and told what only AWS settles', async () => {
  const { code, output } = await contract([...stack, '--fail-authorizer', '--except', ...quick]);
  expect(output).toContain(`Testing ${baseUrl}, the stack PlantStore. About 1200 plants are`);
  expect(output).toMatch(/Tests: +\d+ skipped, \d+ passed/);
  const told = output.split('\n').filter((line) => /^(As expected|Differs|Not tried): /.test(line));
  expect(told).toEqual([
    'As expected: an unknown path with a token: 404 no-such-operation',
    'As expected: HEAD: 404',
    'As expected: two Authorization headers, the second of them refused: 401 unauthorized',
    'As expected: a body of 8 MB: 413 content-too-large',
    'As expected: a body of 11 MB: 413',
    expect.stringMatching(
      /^As expected: a revoked token ends within .*, by default 60 s: .* 401 after \d s$/,
    ),
    'As expected: a request whose token the authorizer cannot check is answered 503: ' +
      'it was answered 503',
    'As expected: metrics that counted it, for the alarms ServerErrors and AuthorizerFailures: ' +
      '5XXError, AuthorizerFailed',
  ]);
  expect(code).toBe(0);
  await expectCleanEnd();
});

test('answers that differ fail the run, which names them and deletes everything', async () => {
  spoil = (status, headers, url) => {
    if (status === 409) {
      delete headers['x-content-type-options'];
    }
    return url.endsWith('/nothing') ? 403 : status;
  };
  const { code, output } = await contract([...stack, '--except', ...few]);
  const differs = '403 no-such-operation instead of 404 no-such-operation';
  for (const told of [
    'POST /plants was answered with 409: the header X-Content-Type-Options is missing.',
    `\nDiffers: an unknown path with a token: ${differs}\n`,
    '\nNot tried: a failure of the authorizer',
    `\nerror: ${baseUrl} differs from the contract`,
  ]) {
    expect(output).toContain(told);
  }
  expect(code).toBe(1);
  await expectCleanEnd();
});

test("another answer of AWS's front end is told, and fails no test", async () => {
  spoil = (status, _headers, url) => (url.endsWith('/[7]') ? 403 : status);
  const others = ['the query', 'the headers', 'the body', 'a body'].map(
    (what) => `refused with ${what}`,
  );
  const leftOut = few.filter((words) => words !== 'is refused with');
  const { code, output } = await contract([
    ...stack,
    '--except',
    ...leftOut,
    ...others,
    'only AWS settles',
  ]);
  expect(output).toMatch(/^Differs: a delete with the id: \[7\]: DELETE .+ with 403/m);
  expect(output).toContain('\nAs expected: a delete with the id: %00: 400 invalid-request ?id\n');
  expect(code).toBe(0);
  await expectCleanEnd();
});

test('a metric that does not count a failure of the authorizer is named', async () => {
  counting = ['PlantStore AuthorizerFailed'];
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new CloudWatchClient({ endpoint: cloudWatch, region: 'local', credentials });
  expect(await metricsOfFailure(client, 'PlantStore', new Date(), 1)).toBe(
    'Differs: metrics that counted it, for the alarms ServerErrors and AuthorizerFailures: ' +
      'not 5XXError, AuthorizerFailed',
  );
  client.destroy();
});

test('the running npm start is tested with tokens of its own', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, '.plant-store'));
  const { databaseEndpoint: dynamodbEndpoint } = service;
  announce(join(cwd, '.plant-store'), { baseUrl, dynamodbEndpoint });
  const { code, output } = await contract(['--localhost', ...except], { cwd, env: {} });
  expect(output).toContain(`Testing ${baseUrl}, the running "npm start".`);
  expect(output).not.toMatch(/^(As expected|Differs): /m);
  expect(code).toBe(0);
  await expectCleanEnd();
});

/** Runs the program. Calls a function with what signals it, once the suite has made 20 calls. */
function interrupted(args: string[], interrupt: (signal: Signal) => void) {
  const start = calls;
  const { promise, resolve } = Promise.withResolvers<void>();
  spoil = (status) => {
    if (calls > start + 20) {
      resolve();
    }
    return status;
  };
  return contract(args, { onStart: (signal) => void promise.then(() => interrupt(signal)) });
}

const testSignals = testOnPosix('a process cannot handle the signals of another one there');

testSignals.each(['SIGINT', 'SIGTERM'] as const)(
  '%s in the middle of the suite leaves no token that works, and no plant',
  async (name) => {
    const { output } = await interrupted([...stack, ...except], (signal) => signal(name));
    expect(output).toContain('The tests end first, so that they delete their plants.');
    await expectCleanEnd();
  },
);

test('a server that does not answer, or without an end, does not hold up the run', async () => {
  const silent = await serve(() => {});
  const { code, output } = await contract([...stack, '--base-url', silent]);
  const line = /^error: http:\S+ does not answer \(.*\)\. Start it, or .*\n$/;
  expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(line) });

  const endless = await serve((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    Readable.from(endlessly()).pipe(response);
  });
  const running = ['--base-url', endless, '--dynamodb-endpoint', service.databaseEndpoint];
  const cut = await contract([...running, ...except]);
  expect(cut.code).toBe(1);
  expect(cut.output).toContain('has no end');
  await expectCleanEnd();
});

test.each([403, 404])('a server that answers %i is told to be no plant store', async (status) => {
  const other = await serve((_, response) => response.writeHead(status).end());
  const { code, output } = await contract([...stack, '--base-url', other]);
  const line = `error: ${other}/plants was answered with ${status}, but a plant store answers `;
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(line) });
  expect(output).toMatch(/^[^\n]* Give another with --base-url\.\n$/);
});

function* endlessly() {
  for (;;) {
    yield Buffer.alloc(2 ** 16, ' ');
  }
}

test.each([
  ['a base URL that is not a URL', ['--base-url', 'localhost'], 'A base URL looks like'],
  ['neither a region nor credentials', stack, 'No AWS region is chosen.'],
  ['a token as an argument', ['--token', forge()], 'This command makes its own tokens.'],
])('with %s, one line says what is wrong', async (_, args, line) => {
  const { code, output } = await contract(args, { env: {} });
  expect(output).toMatch(/^error: [^\n]*\n$/);
  expect(output).toContain(line);
  expect(code).toBe(1);
});

testSignals('a second Ctrl-C ends a suite that does not end', async () => {
  let asked = 0;
  const { output } = await interrupted(stack, async (signal) => {
    // Ctrl-C reaches the program several times at once.
    signal('SIGINT');
    signal('SIGINT');
    await setTimeout(1100);
    asked = performance.now();
    signal('SIGINT');
  });
  expect(output).toContain('Once more ends them at once.');
  expect(performance.now() - asked).toBeLessThan(20_000);
  await expectNoTokens();
});
