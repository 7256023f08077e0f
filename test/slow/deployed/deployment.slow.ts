import { cpSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { codeBlocks, readPage } from '../../docs/page.ts';
import { bashArguments, scripts } from '../../supply-chain/deploy-job.ts';
import { root } from '../../support/checkout.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
import { startForwarder } from '../../support/http/servers.ts';
import { startProgram } from '../../support/program.ts';
import { accessKeyOfJob, startAwsForGitHub } from './github-role.ts';

// Deploys to the account in the environment: .ci/steps/deploy starts MiniStack, an AWS emulator.
// The tests run in this order.

// The whole contract suite is one of the tests, and takes long on a busy machine.
jest.setTimeout(1_800_000);

const { AWS_ENDPOINT_URL = '' } = process.env;
const work = temporaryFolder();
const architecture = process.arch === 'arm64' ? 'arm64' : 'x86_64';

let outputs: Record<string, string> = {};
let api = '';

/** Runs a command and returns its output. If the command fails, rejects with the output. */
async function run(
  command: string,
  args: string[],
  variables: Record<string, string> = {},
  cwd = root,
) {
  // The contract runs for minutes.
  const env = { ...process.env, ...variables };
  const program = startProgram(command, args, { cwd, env, seconds: 900 });
  const { code, stdout } = await program.ended();
  const all = program.lines.join('\n');
  if (code !== 0) {
    throw new Error(`${command} ${args.join(' ')}: exit code ${code}\n${all}`);
  }
  return { stdout, all };
}

const npmRun = (script: string, ...args: string[]) =>
  run('npm', ['run', '-s', script, '--', ...args]);
/** Runs a command of the AWS CLI. Returns its output. */
const aws = async (command: string) => (await run('aws', command.split(' '))).stdout.trim();
const stack = ['--stack', 'PlantStore'];
// CDK's own rules take three seconds, and have been applied to the same stack before.
const cdk = (args: string[]) => run('npx', ['cdk', ...args], { CDK_VALIDATION: 'false' });
const assembly = join(work, 'cdk.out');
const settings = [`architecture=${architecture}`, 'daily-requests=100000', 'access-log=true'];
const inContext = (setting: string) => ['-c', `plant-store:${setting}`];
const synthesis = ['--output', assembly, ...settings.flatMap(inContext)];
/** The stack as it was synthesized last, which saves seconds. */
const synthesized = ['--app', assembly];

/** What the job that deploys has of the repository and of the job before it. */
const checkout = join(work, 'checkout');

/** Deploys as the workflow does, with its commands and its role. Returns the output. */
async function deployAsJob(): Promise<string> {
  for (const path of ['.github', 'cdk.json']) {
    cpSync(join(root, path), join(checkout, path), { recursive: true });
  }
  cpSync(assembly, join(checkout, 'cdk.out'), { recursive: true });
  const variables = {
    AWS_ENDPOINT_URL: await startAwsForGitHub(AWS_ENDPOINT_URL),
    AWS_ACCESS_KEY_ID: accessKeyOfJob,
    npm_config_prefer_offline: 'true',
  };
  // MiniStack's API has no host name for the last step, a call.
  const outputsOfSteps: string[] = [];
  for (const { script } of scripts.slice(0, -1)) {
    outputsOfSteps.push((await run('bash', bashArguments(script), variables, checkout)).all);
  }
  outputs = JSON.parse(readFileSync(join(checkout, 'outputs.json'), 'utf8')).PlantStore;
  return outputsOfSteps.join('\n');
}

async function list(token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  return (await fetch(`${api}/plants`, { headers })).status;
}

async function issueToken(): Promise<{ id: string; token: string }> {
  const issue = ['issue', '--owner', 'ci', '--expires-in', '1h', ...stack];
  const { stdout } = await npmRun('token', ...issue);
  const token = stdout.trim();
  const [, id = ''] = token.split('_');
  return { id, token };
}

/** Issues a token, uses it, revokes it and uses it again soon. Returns the two statuses. */
async function lifeOfToken(): Promise<number[]> {
  const { id, token } = await issueToken();
  expect((await npmRun('token', 'list', ...stack)).stdout).toContain(id);
  const before = await list(token);
  await npmRun('token', 'revoke', id, ...stack);
  return [before, await list(token)];
}

test('cdk bootstrap prepares the account, and a GitHub job deploys the stack', async () => {
  await cdk(['bootstrap', ...synthesis]);
  // For a bootstrap, CDK makes no bundles.
  await cdk(['synth', '--quiet', ...synthesis]);
  expect(await deployAsJob()).toContain('[+] AWS::Lambda::Function');
  const { hostname, pathname } = new URL(`${outputs.BaseUrl}`);
  // MiniStack finds an API by a host name of its own, which has no DNS.
  const [id] = hostname.split('.');
  const host = `${id}.execute-api.localhost:${new URL(AWS_ENDPOINT_URL).port}`;
  // MiniStack adds a random header to all responses. API Gateway does not.
  const spoil = (headers: IncomingHttpHeaders) => {
    delete headers['x-amz-request-id'];
  };
  api = `${await startForwarder(AWS_ENDPOINT_URL, { host, spoil })}${pathname}`;
  const response = await fetch(`${api}/plants`);
  expect([response.status, await response.json()]).toMatchObject([
    401,
    { type: 'urn:problem-type:plant-store:unauthorized' },
  ]);
});

test('the deployed stack passes the contract tests', async () => {
  const options = [...stack, '--base-url', api];
  // MiniStack has no limit for bodies, and passes this one to the function. It decodes a path
  // parameter once, which API Gateway does not do.
  const except = ['--except', 'a body of 11 MB', 'decodes its id only once'];
  const { all } = await npmRun('contract', ...options, ...except);
  // For the log of CI.
  const summary = all
    .split('\n')
    .filter((line) => /^(Left|As exp|Differs|Not tried|Tests:)/.test(line));
  process.stdout.write(`${summary.map((line) => `deployed: ${line}`).join('\n')}\n`);
});

test('a second deployment of a GitHub job changes nothing', async () => {
  const output = await deployAsJob();
  expect(output).toContain('There were no differences');
  expect(output).toContain('no changes');
});

// MiniStack looks for drift in few types of resources, and not in stages.
test('cdk drift names a setting of a function that was changed by hand', async () => {
  const findDrift = async () => (await cdk(['drift', ...synthesized])).all;
  const find = 'cloudformation describe-stack-resource --stack-name PlantStore --output text';
  const id = '--logical-resource-id ListPlants --query StackResourceDetail.PhysicalResourceId';
  const name = await aws(`${find} ${id}`);
  const setMemory = (size: number) =>
    aws(`lambda update-function-configuration --function-name ${name} --memory-size ${size}`);
  expect(await findDrift()).toContain('No drift detected');
  await setMemory(1024);
  expect(await findDrift()).toMatch(/ ListPlants\n.*MemorySize\n.* 512\n.* 1024\n/);
  await setMemory(512);
});

test('a revoked token works while the authorizer’s policy is cached', async () => {
  expect(await lifeOfToken()).toEqual([200, 200]);
});

test('a token whose record is damaged returns 503', async () => {
  const { id, token } = await issueToken();
  const record = `--table-name ${outputs.AccessTokensTableName} --key {"id":{"S":"${id}"}}`;
  await aws(`dynamodb update-item ${record} --attribute-updates {"owner":{"Value":{"N":"0"}}}`);
  expect(await list(token)).toBe(503);
});

test('changed settings take effect, and the base URL stays', async () => {
  const changed = ['authorizer-cache=0', 'cors-origin=https://example.com'].flatMap(inContext);
  const file = join(work, 'outputs.json');
  const deployment = ['deploy', '--require-approval', 'never', '--outputs-file', file];
  await cdk([...deployment, ...synthesis, ...changed]);
  expect(JSON.parse(readFileSync(file, 'utf8')).PlantStore).toEqual(outputs);
  expect(await lifeOfToken()).toEqual([200, 401]);
  const preflight = await fetch(`${api}/plants`, {
    method: 'OPTIONS',
    headers: { Origin: 'https://example.com', 'Access-Control-Request-Method': 'GET' },
  });
  expect(preflight.headers.get('access-control-allow-origin')).toBe('https://example.com');
});

/** Starts an execution of the ceiling's state machine, as the alarm does. Returns its ARN. */
async function startCeiling(): Promise<string> {
  const query = '--query stateMachines[].stateMachineArn --output text';
  const machine = await aws(`stepfunctions list-state-machines ${query}`);
  const execution = '--query executionArn --output text';
  return aws(`stepfunctions start-execution --state-machine-arn ${machine} ${execution}`);
}

const readStatus = (execution: string) =>
  aws(`stepfunctions describe-execution --execution-arn ${execution} --query status --output text`);

const endOf = (execution: string) =>
  eventually('the end of the execution', async () => {
    const status = await readStatus(execution);
    return status !== 'RUNNING' && status;
  });

const responseOf = (status: number, token: string) =>
  eventually(`a ${status}`, async () => (await list(token)) === status);

const setState = 'cloudwatch set-alarm-state --state-reason test';
const setAlarm = (state: 'ALARM' | 'OK') =>
  aws(`${setState} --alarm-name PlantStore-DailyRequests --state-value ${state}`);

test('the ceiling stops all traffic, starts it after the alarm, and stops a second flood', async () => {
  const { token } = await issueToken();
  expect(await list(token)).toBe(200);
  for (const _ of ['a flood', 'a second flood']) {
    await setAlarm('ALARM');
    const execution = await startCeiling();
    await responseOf(429, token);
    expect(await readStatus(execution)).toBe('RUNNING');
    await setAlarm('OK');
    expect(await endOf(execution)).toBe('SUCCEEDED');
    expect(await list(token)).toBe(200);
  }
});

/** Runs the block of a runbook, with a script by botocore as `aws`. Returns the output. */
async function runRunbook(heading: string, rate = 0, burst = 0): Promise<string> {
  const [, section = ''] = readPage('docs/runbooks.md').split(`\n## ${heading}\n`);
  const [block = ''] = codeBlocks(section, 'sh aws');
  const script = block.replace('rate=0 burst=0', `rate=${rate} burst=${burst}`);
  // The runbook waits for the results of a query. MiniStack has them at once, and finds nothing.
  return (await run('bash', ['-euc', `sleep() { :; }\n${script}`])).stdout;
}

test('the ceiling starts no traffic that the first runbook stopped before it or after it', async () => {
  const { token } = await issueToken();
  await runRunbook('Stop all traffic');
  expect(await endOf(await startCeiling())).toBe('SUCCEEDED');
  expect(await list(token)).toBe(429);

  await runRunbook('Stop all traffic', 50, 100);
  expect(await list(token)).toBe(200);
  await setAlarm('ALARM');
  const execution = await startCeiling();
  await responseOf(429, token);
  await runRunbook('Stop all traffic');
  expect(await endOf(execution)).toBe('ABORTED');
  await setAlarm('OK');
  expect(await list(token)).toBe(429);
});

test('the second runbook queries the logs', async () => {
  expect(await runRunbook('Find out what happens')).toContain('"status": "Complete"');
});

// MiniStack knows the role of access logs, and no access log.
test('cdk destroy keeps the role of the access log, and the tables with their items', async () => {
  const account = await aws('apigateway get-account');
  expect(account).toMatch(/:role\/PlantStore-RestApiRestCloudWatchRole/);
  await cdk(['destroy', '--force', ...synthesized]);
  const countItems = async (table = '') =>
    Number(await aws(`dynamodb scan --table-name ${table} --select COUNT --query Count`));
  expect(await countItems(outputs.AccessTokensTableName)).toBeGreaterThan(0);
  expect(await aws('apigateway get-account')).toBe(account);
  // The contract tests have deleted their plants.
  expect(await countItems(outputs.PlantsTableName)).toBe(0);
});
