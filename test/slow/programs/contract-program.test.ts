import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { listTokens } from '../../../bin/administration/access-tokens.ts';
import { announce } from '../../../bin/administration/running.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { listen } from '../../../lib/emulator/listen.ts';
import { metricsOfFailure } from '../../contract/program/deployment.ts';
import { forge } from '../../support/access-tokens/forge.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { cloudWatchUrl, contract, deployed, frontUrl, service, standIn } from './deployed-stack.ts';

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
/**
 * Leaves out more, for tests of what happens around the suite. A few plants are still created and
 * deleted.
 */
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

async function withGivenTokens(leftOut = few) {
  const env = {
    CONTRACT_TOKEN: await service.issue('alice'),
    CONTRACT_OTHER_TOKEN: await service.issue('bob'),
    CONTRACT_READ_TOKEN: await service.issue('carol', ['plants:read']),
  };
  const args = ['--base-url', frontUrl, '--except', ...leftOut, 'only AWS settles'];
  const { code, output } = await contract(args, { env });
  for (const token of Object.values(env)) expect(output).not.toContain(token);
  return { code, output };
}

const plantsLeft = async () =>
  (await service.database.send(new ScanCommand({ TableName: tableIds.plants, Select: 'COUNT' })))
    .Count;

/** Returns the tokens that the program has issued since the last call. */
const seen = new Set<string>();
async function newTokens() {
  const all = await listTokens(service.database, tableIds.accessTokens);
  const found = all.filter(({ id, label }) => label === 'npm run contract' && !seen.has(id));
  for (const { id } of found) seen.add(id);
  return found;
}

async function expectRevokedTokens(count: number) {
  const tokens = await newTokens();
  expect(tokens).toHaveLength(count);
  for (const { owner, revoked } of tokens) {
    expect(owner).toMatch(/^contract-/);
    expect(revoked).toBeDefined();
  }
}

test('with given tokens the suite waits at 429 and deletes everything', async () => {
  const { code, output } = await withGivenTokens(quick);
  expect(output).toMatch(
    /^Testing http:\S+, with the tokens of the environment\. About 1200 plants are created/,
  );
  expect(output).toMatch(/Tests: +\d+ skipped, \d+ passed/);
  expect(code).toBe(0);
  expect(await plantsLeft()).toBe(0);
  expect(await newTokens()).toEqual([]);
});

test('an answer that is not as described fails the suite, which deletes everything', async () => {
  standIn.spoil = (status, headers) => {
    if (status === 409) delete headers['x-content-type-options'];
    return undefined;
  };
  const { code, output } = await withGivenTokens();
  expect(output).toContain(
    'POST /plants was answered with 409: the header X-Content-Type-Options is missing.',
  );
  expect(code).toBe(1);
  expect(await plantsLeft()).toBe(0);
});

test('if an owner has plants already, the suite does nothing', async () => {
  const token = await service.issue('alice');
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const plant = { method: 'POST', headers, body: '{"id":7,"name":"Aloe"}' };
  expect((await fetch(`${service.baseUrl}/plants`, plant)).status).toBe(201);
  const { code, output } = await withGivenTokens();
  expect(output).toContain('The owners of the tokens have plants already');
  expect(code).toBe(1);
  expect(await plantsLeft()).toBe(1);
  await fetch(`${service.baseUrl}/plants/7`, { method: 'DELETE', headers });
});

test('a deployed stack is tested with new tokens, and told what only AWS settles', async () => {
  const { code, output } = await contract(['--fail-authorizer', '--except', ...few], {
    env: deployed(),
  });
  expect(output).toContain(`Testing ${frontUrl}, the stack PlantStore.`);
  const told = output.split('\n').filter((line) => /^(As expected|Differs|Not tried): /.test(line));
  expect(told).toEqual([
    'As expected: an unknown path with a token: 404 no-such-operation',
    'As expected: HEAD: 404',
    'As expected: two Authorization headers, the second of them refused: 401 unauthorized',
    'As expected: a body of 8 MB: 413 content-too-large',
    'As expected: a body of 11 MB: 413',
    expect.stringMatching(
      /^As expected: a revoked token ends within .*, by default 60 s: it ended after \d s$/,
    ),
    'As expected: a request whose token the authorizer cannot check is answered 503',
    'As expected: metrics that counted it, for the alarms ServerErrors and AuthorizerFailures: ' +
      '5XXError, AuthorizerFailed',
  ]);
  expect(code).toBe(0);
  expect(await plantsLeft()).toBe(0);
  // The record that was damaged is deleted.
  await expectRevokedTokens(6);
});

test('a deployed stack that answers otherwise is told so, and fails the run', async () => {
  standIn.spoil = (status, _headers, url) => (url.endsWith('/nothing') ? 403 : status);
  const { code, output } = await contract(['--except', ...few], { env: deployed() });
  expect(output).toContain(
    '\nDiffers: an unknown path with a token: ' +
      '403 no-such-operation instead of 404 no-such-operation\n',
  );
  expect(output).toContain('\nNot tried: a failure of the authorizer');
  expect(code).toBe(1);
  await expectRevokedTokens(7);
});

test('a metric that does not count a failure of the authorizer is named', async () => {
  standIn.counting = ['PlantStore AuthorizerFailed'];
  const client = new CloudWatchClient({
    endpoint: cloudWatchUrl,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  expect(await metricsOfFailure(client, 'PlantStore', new Date(), 1)).toBe(
    'Differs: metrics that counted it, for the alarms ServerErrors and AuthorizerFailures: ' +
      'AuthorizerFailed, not 5XXError',
  );
  client.destroy();
});

test("another answer of AWS's front end is told, and fails no test", async () => {
  standIn.spoil = (status, _headers, url) => (url.endsWith('/[7]') ? 403 : status);
  const others = ['query', 'headers', 'body'].map((what) => `refused with the ${what}`);
  const leftOut = few.filter((words) => words !== 'is refused with');
  const { code, output } = await contract(
    ['--except', ...leftOut, ...others, 'refused with a body', 'only AWS settles'],
    { env: deployed() },
  );
  expect(output).toMatch(/^Differs: a delete with the id: \[7\]: DELETE .+ with 403/m);
  expect(output).toContain('\nAs expected: a delete with the id: %00: 400 invalid-request ?id\n');
  expect(code).toBe(0);
  await expectRevokedTokens(7);
});

test('a running npm start is found, and tested with tokens of its own', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, '.plant-store'));
  const { databaseEndpoint: dynamodbEndpoint } = service;
  announce(join(cwd, '.plant-store'), { baseUrl: frontUrl, dynamodbEndpoint });
  const { code, output } = await contract(except, { cwd });
  expect(output).toContain(`Testing ${frontUrl}, the running "npm start".`);
  expect(output).not.toMatch(/^(As expected|Differs): /m);
  expect(code).toBe(0);
  expect(await plantsLeft()).toBe(0);
  await expectRevokedTokens(5);
});

test('an API that fails fails the run, and its tokens are revoked', async () => {
  standIn.spoil = () => 500;
  const { code } = await contract(except, { env: deployed() });
  expect(code).toBe(1);
  await expectRevokedTokens(7);
});

/** Runs the program. Calls a function with what signals it, once the suite has made 20 calls. */
function interrupted(args: string[], interrupt: (signal: (name: NodeJS.Signals) => void) => void) {
  const start = standIn.calls;
  const { promise, resolve } = Promise.withResolvers<void>();
  standIn.spoil = () => {
    if (standIn.calls > start + 20) resolve();
    return undefined;
  };
  const onStart = (kill: (name: NodeJS.Signals) => void) =>
    void promise.then(() => interrupt(kill));
  return contract(args, { env: deployed(), onStart });
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s in the middle of the suite leaves no token that works, and no plant',
  async (name) => {
    const { output } = await interrupted(except, (signal) => signal(name));
    expect(output).toContain('The tests end first, so that they delete their plants.');
    expect(await plantsLeft()).toBe(0);
    await expectRevokedTokens(7);
  },
);

test('a server that does not answer, or without an end, does not hold up the run', async () => {
  const silent = createServer(() => {});
  const endless = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    Readable.from(endlessly()).pipe(response);
  });
  const servers = [silent, endless];
  const [silentUrl, endlessUrl] = await Promise.all(
    servers.map(async (server) => `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}/v1`),
  );
  const tokens = {
    CONTRACT_TOKEN: forge(),
    CONTRACT_OTHER_TOKEN: forge(),
    CONTRACT_READ_TOKEN: forge(),
  };
  const { code, output } = await contract(['--base-url', `${silentUrl}`], { env: tokens });
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringMatching(/^error: http:\S+ does not answer \(.*\)\. Start it, or .*\n$/),
  });
  const cut = await contract(['--base-url', `${endlessUrl}`, ...except], { env: tokens });
  expect(cut.code).toBe(1);
  expect(cut.output).toContain('has no end');
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

function* endlessly() {
  for (;;) yield Buffer.alloc(2 ** 16, ' ');
}

const missing = 'this is missing: CONTRACT_TOKEN CONTRACT_OTHER_TOKEN --base-url';
const takenByNpm = { npm_lifecycle_event: 'contract', npm_config_stack: 'true' };
const mistaken = 'npm took --stack for its own.';
test.each<[string, string[], Record<string, string>, string]>([
  ['some of the tokens', [], { CONTRACT_READ_TOKEN: 'x' }, missing],
  ['a base URL that is not a URL', ['--base-url', 'localhost'], {}, 'A base URL looks like'],
  ['an option as a base URL', ['--base-url', '--localhost'], {}, 'Put a value before --localhost.'],
  ['neither AWS nor npm start', [], {}, 'add --localhost for a running "npm start"'],
  ['an option that npm took for its own', ['Other'], takenByNpm, mistaken],
  ['a token as an argument', ['--token', forge()], {}, 'Tokens for this command go into the'],
])('with %s, one line says what is wrong', async (_, args, env, line) => {
  const cwd = temporaryFolder();
  const { code, output } = await contract(args, { env: { HOME: cwd, ...env }, cwd });
  expect(output).toMatch(/^error: [^\n]*\n$/);
  expect(output).toContain(line);
  for (const arg of args.filter((one) => one.startsWith('pst_')))
    expect(output).not.toContain(arg.slice(17, 38));
  expect(code).toBe(1);
});

test('a second Ctrl-C ends a suite that does not end', async () => {
  let asked = 0;
  const { output } = await interrupted([], async (signal) => {
    // Ctrl-C reaches the program several times at once.
    signal('SIGINT');
    signal('SIGINT');
    await setTimeout(1100);
    asked = performance.now();
    signal('SIGINT');
  });
  expect(output).toContain('Once more ends them at once.');
  expect(performance.now() - asked).toBeLessThan(20_000);
  await expectRevokedTokens(7);
});
