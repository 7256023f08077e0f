import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPage } from '../docs/page.ts';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { serve } from '../support/http/servers.ts';
import { testOnPosix } from '../support/posix.ts';
import { startProgram } from '../support/program.ts';
import { bashArguments, beforeJob, deployJob, scripts } from './deploy-job.ts';

const workflows = readdirSync(join(root, '.github', 'workflows'));

test('only the job that deploys gets a token for AWS, and it installs one package', () => {
  expect(beforeJob).toContain('npm test');
  const others = workflows.filter((file) => file !== 'deploy.yml');
  const elsewhere = [beforeJob, ...others.map((file) => readPage(`.github/workflows/${file}`))];
  expect(elsewhere.filter((text) => text.includes('id-token'))).toEqual([]);
  const [, permissions = ''] = /^ {4}permissions:\n((?: {6}.+\n)+)/m.exec(deployJob) ?? [];
  expect(permissions.split('\n').filter((line) => !line.includes('#'))).toEqual([
    '      contents: read',
    '      id-token: write',
    '',
  ]);
  const cdk = '.github/deploy/node_modules/.bin/cdk';
  const commands = scripts.flatMap(({ script }) => script.match(/^.*\b(?:np[mx]|cdk) .*$/gm) ?? []);
  expect(commands.map((command) => command.trim())).toEqual([
    'npm ci --ignore-scripts --prefix .github/deploy',
    `${cdk} diff --app cdk.out --no-color 2>&1 | tee diff.txt`,
    `${cdk} deploy --app cdk.out --require-approval never --outputs-file outputs.json`,
  ]);
  const { packages } = JSON.parse(readPage('.github/deploy/package-lock.json'));
  expect(Object.keys(packages)).toEqual(['', 'node_modules/aws-cdk']);
});

test('the job that deploys has the CDK CLI of package.json, and Dependabot changes both', () => {
  const read = (file: string) => JSON.parse(readPage(file));
  const { 'aws-cdk': version } = read('package.json').devDependencies;
  expect(read('.github/deploy/package.json').dependencies).toEqual({ 'aws-cdk': version });
  const dependabot = readPage('.github/dependabot.yml');
  expect(dependabot).toContain('      - /.github/deploy\n');
  expect(dependabot).toMatch(
    /^ {6}aws-cdk:\n {8}patterns: \[aws-cdk\]\n {8}group-by: dependency-name$/m,
  );
});

test('the job that deploys takes what the other job has tested', () => {
  expect(deployJob).toMatch(/^ {4}needs: test$/m);
  const run = [...beforeJob.matchAll(/- (?:run: |uses: actions\/)([^@\n]+)/g)];
  expect(run.map(([, step]) => step)).toEqual([
    ...['checkout', 'setup-node', 'npm ci', 'npm test', 'npm run test:slow -- test/slow/programs'],
    ...['npx cdk synth --quiet', 'upload-artifact'],
  ]);
  const artifact = / {8}with:\n {10}name: cdk.out\n {10}path: cdk.out\n/;
  for (const [text, action] of [
    [beforeJob, 'upload'],
    [deployJob, 'download'],
  ]) {
    expect(text?.split(`actions/${action}-artifact@`)[1]).toMatch(artifact);
  }
  // Another artifact than that of this run, or one with another digest.
  expect(deployJob).not.toMatch(/run-id|repository:|digest-mismatch|github-token/);
});

test('the role trusts the environment of the job that deploys', () => {
  const role = readPage('.github/deploy-role.yaml');
  const [, trusted] = /^ {2}Environment:\n(?: {4}.+\n)*? {4}Default: (.+)$/m.exec(role) ?? [];
  const [, used] = /^ {4}environment: (.+)$/m.exec(deployJob) ?? [];
  expect(used).toBe('production');
  expect(trusted).toBe(used);
});

test('the workflows read the variables that docs/deploy.md asks for, and no secret', () => {
  const texts = workflows.map((file) => readPage(`.github/workflows/${file}`)).join('\n');
  const read = texts.match(/\b(?:vars|secrets)\b[.[][\w'"]+/g);
  expect(read).toEqual(['vars.DEPLOY_ROLE', 'vars.AWS_REGION']);
  const [, asked = ''] =
    /Actions → Variables\*\*, add (.+?)\. Then/s.exec(readPage('docs/deploy.md')) ?? [];
  expect([...asked.matchAll(/`(\w+)`/g)].map(([, name]) => `vars.${name}`)).toEqual(read);
});

test.each(workflows)('%s may only read by default, and pins each action', (file) => {
  const workflow = readPage(`.github/workflows/${file}`);
  expect(workflow).toContain('\npermissions:\n  contents: read\n\n');
  const uses = [...workflow.matchAll(/uses: (.+)/g)];
  expect(uses).not.toHaveLength(0);
  for (const [, action] of uses) {
    expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});

/** Runs a step of the workflow in a folder, as GitHub does. Returns its exit code. */
async function runStep(name: string, cwd: string, functions = ''): Promise<number | null> {
  const { script = '' } = scripts.find((step) => step.name === name) ?? {};
  const args = bashArguments(`${functions}\n${script}`);
  return (await startProgram('bash', args, { cwd }).ended()).code;
}

const testStep = testOnPosix('it has no Bash of its own');

testStep.each([
  ['[~] AWS::DynamoDB::GlobalTable Tables/Plants Plants replace', 1],
  ['[~] AWS::DynamoDB::GlobalTable Tables/Plants Plants may be replaced', 1],
  ['[-] AWS::DynamoDB::GlobalTable Plants orphan', 1],
  ['[-] AWS::DynamoDB::GlobalTable Plants destroy', 1],
  ['[~] AWS::ApiGateway::RestApi RestApi/Rest Api replace', 1],
  ['[~] AWS::DynamoDB::GlobalTable Tables/Plants Plants', 0],
  ['[-] AWS::ApiGateway::Deployment RestApi/Rest/Deployment destroy', 0],
])('before a deployment, "%s" ends with %i', async (diff, status) => {
  const folder = temporaryFolder();
  const cdk = `#!/bin/sh\ncat <<"END"\nStack PlantStore\n${diff}\n └─ [~] Tags\nEND\n`;
  const bin = join(folder, '.github', 'deploy', 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'cdk'), cdk, { mode: 0o755 });
  const step = 'Stop if a table or the API would be replaced or removed';
  expect(await runStep(step, folder)).toBe(status);
});

const tokenStep = 'Call the deployed API without a token';
const ours = { type: 'urn:problem-type:plant-store:unauthorized' };
const unknownStage = { message: 'Missing Authentication Token' };

testStep('after a deployment, calls without a token go on until the stage is known', async () => {
  const received: string[] = [];
  const origin = await serve(({ method, url, headers }, response) => {
    received.push(`${method} ${url} ${headers.authorization}`);
    const isKnown = received.length === 3;
    response.writeHead(isKnown ? 401 : 403).end(JSON.stringify(isKnown ? ours : unknownStage));
  });
  const folder = temporaryFolder();
  const outputs = { 'PlantStore-copy': { BaseUrl: `${origin}/v1`, NextCommand: '' } };
  writeFileSync(join(folder, 'outputs.json'), JSON.stringify(outputs));
  expect(await runStep(tokenStep, folder, 'sleep() { :; }')).toBe(0);
  expect(received).toEqual(Array(3).fill('GET /v1/plants undefined'));
});

testStep.each([
  { status: 401, body: { message: 'Unauthorized' }, calls: 1 },
  { status: 403, body: { message: 'Forbidden' }, calls: 1 },
  { status: 200, body: ours, calls: 1 },
  { status: 403, body: unknownStage, calls: 30 },
])('after a deployment, $status $body to a call without a token is a failure', async (row) => {
  const { status, body, calls } = row;
  const curl = `echo >>calls; echo '${JSON.stringify(body)}' >response.json; echo ${status}`;
  const folder = temporaryFolder();
  const functions = `node() { :; }; sleep() { :; }; curl() { ${curl}; }`;
  expect(await runStep(tokenStep, folder, functions)).toBe(1);
  expect(readFileSync(join(folder, 'calls'), 'utf8')).toHaveLength(calls);
});
