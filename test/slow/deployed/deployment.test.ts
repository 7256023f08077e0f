import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CloudWatchClient, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { finallyDo, temporaryFolder } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
import { startForwarder } from '../../support/http/servers.ts';
import { startProgram } from '../../support/program.ts';

// Deploys to the account that the environment names, which .ci/steps/deploy makes a stand-in for
// AWS. The tests run in this order.

// One of the tests runs a whole suite, which takes long on a busy machine.
jest.setTimeout(1_800_000);

const { AWS_ENDPOINT_URL = '', AWS_STAND_IN_LOG = '' } = process.env;
const work = temporaryFolder();
const architecture = process.arch === 'arm64' ? 'arm64' : 'x86_64';

const cloudWatch = new CloudWatchClient({});
finallyDo(() => cloudWatch.destroy());
let outputs: Record<string, string> = {};
let api = '';

/** Runs a command and returns what it has written. Rejects with that if the command fails. */
async function run(command: string, ...args: string[]) {
  // The contract runs for minutes.
  const program = startProgram(command, args, { seconds: 900 });
  const { code, stdout } = await program.ended();
  const all = program.lines.join('\n');
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: exit code ${code}\n${all}`);
  return { stdout, all };
}

const npmRun = (script: string, ...args: string[]) =>
  run('npm', 'run', '-s', script, '--', ...args);
const cdk = (...args: string[]) => {
  const setting = `plant-store:architecture=${architecture}`;
  return run('npx', 'cdk', ...args, '--output', join(work, 'cdk.out'), '-c', setting);
};

async function deploy(...settings: string[]): Promise<string> {
  const file = join(work, 'outputs.json');
  const options = settings.flatMap((setting) => ['-c', `plant-store:${setting}`]);
  const deployment = ['deploy', '--require-approval', 'never', '--outputs-file', file];
  const { all } = await cdk(...deployment, ...options);
  outputs = JSON.parse(readFileSync(file, 'utf8')).PlantStore;
  return all;
}

async function list(token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  return (await fetch(`${api}/plants`, { headers })).status;
}

/** Issues a token, uses it, revokes it and uses it again. Returns the two statuses. */
async function lifeOfToken(): Promise<number[]> {
  const { stdout } = await npmRun('token', 'issue', '--owner', 'ci', '--expires-in', '1h');
  const [, id = ''] = stdout.split('_');
  const before = await list(stdout.trim());
  expect((await npmRun('token', 'list')).stdout).toContain(id);
  await npmRun('token', 'revoke', id);
  return [before, await list(stdout.trim())];
}

/** Returns the sum of a metric in the hours around now. */
async function sumOf(MetricName: string): Promise<number> {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000);
  const { Datapoints = [] } = await cloudWatch.send(
    new GetMetricStatisticsCommand({
      Namespace: 'PlantStore',
      MetricName,
      Period: 3600,
      Statistics: ['Sum'],
      StartTime: at(-1),
      EndTime: at(1),
    }),
  );
  return Datapoints.reduce((sum, { Sum = 0 }) => sum + Sum, 0);
}

test('cdk bootstrap prepares the account, and cdk deploy deploys the stack', async () => {
  await cdk('bootstrap');
  await deploy();
  const { host, pathname } = new URL(`${outputs.BaseUrl}`);
  // Its host name has no DNS here.
  api = `${await startForwarder(AWS_ENDPOINT_URL, { host })}${pathname}`;
  const answer = await fetch(`${api}/plants`);
  expect([answer.status, await answer.json()]).toMatchObject([
    401,
    { type: 'urn:problem-type:plant-store:unauthorized' },
  ]);
});

test('the deployed stack passes the contract tests', async () => {
  const options = ['--stack', 'PlantStore', '--base-url', api, '--fail-authorizer'];
  // The stand-in fails at bodies that are larger than a function takes.
  const except = ['--except', 'a body of 8 MB', 'a body of 11 MB'];
  const { all } = await npmRun('contract', ...options, ...except);
  // The log of CI shows what was tried here, what was left out, and why.
  const told = all
    .split('\n')
    .filter((line) => /^(Left|As exp|Differs|Not tried|Tests:)/.test(line));
  process.stdout.write(`${told.map((line) => `deployed: ${line}`).join('\n')}\n`);
});

test('a second deployment changes nothing', async () => {
  expect(await deploy()).toContain('no changes');
  expect((await cdk('diff')).all).toContain('There were no differences');
});

test('a revoked token lives on in the cache of the authorizer', async () => {
  expect(await lifeOfToken()).toEqual([200, 200]);
});

test('a refused token is counted, and not as a failure of the authorizer', async () => {
  const [refused, failed] = [await sumOf('TokenRefused'), await sumOf('AuthorizerFailed')];
  expect(await list(`pst_000000000000_${'0'.repeat(49)}`)).toBe(401);
  const isCounted = async () => (await sumOf('TokenRefused')) > refused;
  await eventually('a count of TokenRefused', isCounted, { seconds: 120 });
  expect(await sumOf('AuthorizerFailed')).toBe(failed);
});

test('changed settings come into force, and the base URL stays', async () => {
  const { BaseUrl } = outputs;
  await deploy('authorizer-cache=0', 'cors-origin=https://example.com');
  expect(outputs.BaseUrl).toBe(BaseUrl);
  expect(await lifeOfToken()).toEqual([200, 401]);
  const preflight = await fetch(`${api}/plants`, {
    method: 'OPTIONS',
    headers: { Origin: 'https://example.com', 'Access-Control-Request-Method': 'GET' },
  });
  expect(preflight.headers.get('access-control-allow-origin')).toBe('https://example.com');
});

test('cdk destroy leaves the tables and what is in them', async () => {
  await cdk('destroy', '--force');
  const database = new DynamoDBClient({});
  const countOf = async (TableName = '') =>
    (await database.send(new ScanCommand({ TableName, Select: 'COUNT' }))).Count;
  expect(await countOf(outputs.AccessTokensTableName)).toBeGreaterThan(0);
  // The contract tests have deleted their plants.
  expect(await countOf(outputs.PlantsTableName)).toBe(0);
  database.destroy();
});

test('the stand-in has passed over nothing of the template', () => {
  const log = readFileSync(AWS_STAND_IN_LOG, 'utf8').split('\n');
  expect(log).not.toHaveLength(0);
  expect(
    log.filter((line) => /No resource provider found|Unable to update resource type/.test(line)),
  ).toEqual([]);
});
