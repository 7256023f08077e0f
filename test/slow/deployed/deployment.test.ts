import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  PutMetricDataCommand,
} from '@aws-sdk/client-cloudwatch';
import {
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { finallyDo, temporaryFolder } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
import { startForwarder } from '../../support/http/servers.ts';
import { startProgram } from '../../support/program.ts';

// Deploys to the account that the environment names, which .ci/steps/deploy makes a stand-in for
// AWS. The tests run in this order.

// One of the tests runs a whole suite, which takes long on a busy machine.
jest.setTimeout(1_800_000);

const { AWS_ENDPOINT_URL = '' } = process.env;
const work = temporaryFolder();
const architecture = process.arch === 'arm64' ? 'arm64' : 'x86_64';

const cloudFormation = new CloudFormationClient({});
const cloudWatch = new CloudWatchClient({});
const database = new DynamoDBClient({});
finallyDo(() => {
  for (const client of [cloudFormation, cloudWatch, database]) {
    client.destroy();
  }
});
/** The types of which the stand-in makes nothing, because no test here could tell. */
const leftOut = ['AWS::XRay::SamplingRule'];
let outputs: Record<string, string> = {};
let api = '';

/** Runs a command and returns what it has written. Rejects with that if the command fails. */
async function run(command: string, ...args: string[]) {
  // The contract runs for minutes.
  const program = startProgram(command, args, { seconds: 900 });
  const { code, stdout } = await program.ended();
  const all = program.lines.join('\n');
  if (code !== 0) {
    throw new Error(`${command} ${args.join(' ')}: exit code ${code}\n${all}`);
  }
  return { stdout, all };
}

const npmRun = (script: string, ...args: string[]) =>
  run('npm', 'run', '-s', script, '--', ...args);
const stack = ['--stack', 'PlantStore'];
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

async function issueToken(): Promise<{ id: string; token: string }> {
  const { stdout } = await npmRun(
    'token',
    'issue',
    '--owner',
    'ci',
    '--expires-in',
    '1h',
    ...stack,
  );
  const token = stdout.trim();
  const [, id = ''] = token.split('_');
  return { id, token };
}

/** Issues a token, uses it, revokes it and uses it again. Returns the two statuses. */
async function lifeOfToken(): Promise<number[]> {
  const { id, token } = await issueToken();
  const before = await list(token);
  expect((await npmRun('token', 'list', ...stack)).stdout).toContain(id);
  await npmRun('token', 'revoke', id, ...stack);
  return [before, await list(token)];
}

test('cdk bootstrap prepares the account, and cdk deploy deploys the stack', async () => {
  await cdk('bootstrap');
  await deploy();
  const { hostname, pathname } = new URL(`${outputs.BaseUrl}`);
  // The stand-in tells APIs apart by a host name of its own, which has no DNS.
  const [id] = hostname.split('.');
  const host = `${id}.execute-api.localhost:${new URL(AWS_ENDPOINT_URL).port}`;
  // It sends a random header with the answers of all services, which API Gateway does not.
  const spoil = (status: number, headers: OutgoingHttpHeaders) => {
    delete headers['x-amz-request-id'];
    return status;
  };
  api = `${await startForwarder(AWS_ENDPOINT_URL, { host, spoil })}${pathname}`;
  const answer = await fetch(`${api}/plants`);
  expect([answer.status, await answer.json()]).toMatchObject([
    401,
    { type: 'urn:problem-type:plant-store:unauthorized' },
  ]);
});

test('the deployed stack passes the contract tests', async () => {
  const options = [...stack, '--base-url', api];
  // The stand-in has no limit for bodies, and passes this one to the function.
  const { all } = await npmRun('contract', ...options, '--except', 'a body of 11 MB');
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

test('a token that the authorizer cannot check is answered 503', async () => {
  const { id, token } = await issueToken();
  const TableName = outputs.AccessTokensTableName;
  const Key = { id: { S: id } };
  await database.send(new PutItemCommand({ TableName, Item: { ...Key, owner: { N: '0' } } }));
  expect(await list(token)).toBe(503);
  await database.send(new DeleteItemCommand({ TableName, Key }));
});

// What the metric filters count is shown by test/stack/monitoring/metric-filters.test.ts.
test('an alarm goes off when its metric counts a failure', async () => {
  const alarm = { AlarmNames: ['PlantStore-AuthorizerFailures'] };
  const stateOf = async () =>
    (await cloudWatch.send(new DescribeAlarmsCommand(alarm))).MetricAlarms?.[0]?.StateValue;
  expect(await stateOf()).not.toBe('ALARM');
  const MetricData = [{ MetricName: 'AuthorizerFailed', Value: 1 }];
  await cloudWatch.send(new PutMetricDataCommand({ Namespace: 'PlantStore', MetricData }));
  await eventually('the alarm', async () => (await stateOf()) === 'ALARM');
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

test('the stand-in has made what the template says', async () => {
  const { Resources } = JSON.parse(
    readFileSync(join(work, 'cdk.out', 'PlantStore.template.json'), 'utf8'),
  );
  const expected = Object.keys(Resources).filter((id) => !leftOut.includes(Resources[id].Type));
  const { StackResources = [] } = await cloudFormation.send(
    new DescribeStackResourcesCommand({ StackName: 'PlantStore' }),
  );
  // .ci/stand-in/start.py names so what it only takes for created.
  const made = StackResources.filter(
    ({ PhysicalResourceId = '' }) => !PhysicalResourceId.startsWith('left-out-'),
  );
  expect(made.map(({ LogicalResourceId }) => LogicalResourceId).sort()).toEqual(expected.sort());
});

test('cdk destroy leaves the tables and what is in them', async () => {
  await cdk('destroy', '--force');
  const countOf = async (TableName = '') =>
    (await database.send(new ScanCommand({ TableName, Select: 'COUNT' }))).Count;
  expect(await countOf(outputs.AccessTokensTableName)).toBeGreaterThan(0);
  // The contract tests have deleted their plants.
  expect(await countOf(outputs.PlantsTableName)).toBe(0);
});
