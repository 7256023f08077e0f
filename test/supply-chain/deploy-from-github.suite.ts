import { readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPage } from '../docs/page.ts';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { serve } from '../support/http/servers.ts';
import { testOnPosix } from '../support/posix.ts';
import { startProgram } from '../support/program.ts';

const workflow = readPage('.github/workflows/deploy.yml');

const workflows = readdirSync(join(root, '.github', 'workflows'));

test('only the job that deploys gets a token for AWS, and runs no test or install script', () => {
  const [before = '', deploy = ''] = workflow.split('\n  deploy:');
  expect(before).toContain('npm test');
  const others = workflows.filter((file) => file !== 'deploy.yml');
  const elsewhere = [before, ...others.map((file) => readPage(`.github/workflows/${file}`))];
  expect(elsewhere.filter((text) => text.includes('id-token'))).toEqual([]);
  const [, permissions = ''] = /^ {4}permissions:\n((?: {6}.+\n)+)/m.exec(deploy) ?? [];
  expect(permissions.split('\n').filter((line) => !line.includes('#'))).toEqual([
    '      contents: read',
    '      id-token: write',
    '',
  ]);
  expect(deploy).toMatch(/^ {4}needs: test$/m);
  const commands = [...deploy.matchAll(/- run: (.+)/g)].map(([, command]) => command);
  expect(commands).toEqual([
    'npm ci --ignore-scripts',
    'npx cdk deploy --require-approval never --outputs-file outputs.json',
  ]);
});

test('the role trusts the environment of the job that deploys', () => {
  const role = readPage('.github/deploy-role.yaml');
  const [, trusted] = /^ {2}Environment:\n(?: {4}.+\n)*? {4}Default: (.+)$/m.exec(role) ?? [];
  const [, used] = /^ {4}environment: (.+)$/m.exec(workflow) ?? [];
  expect(used).toBe('production');
  expect(trusted).toBe(used);
});

test.each(workflows)('%s may only read by default', (file) => {
  expect(readPage(`.github/workflows/${file}`)).toContain('\npermissions:\n  contents: read\n\n');
});

/**
 * Runs a step of the workflow, as GitHub does, in a folder with programs. Returns its exit code.
 */
async function runStep(name: string, cwd: string): Promise<number | null> {
  const [, after = ''] = workflow.split(`- name: ${name}\n`);
  const [, script = ''] = / {8}run: \|\n((?: {10}.+\n)+)/.exec(after) ?? [];
  const env = { PATH: `${cwd}${delimiter}${process.env.PATH}` };
  const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
  return (await startProgram('bash', args, { cwd, env }).ended()).code;
}

const testStep = testOnPosix('it has no Bash of its own');

testStep.each([
  ['[~] AWS::DynamoDB::GlobalTable Tables/Plants Plants replace', 1],
  ['[~] AWS::DynamoDB::GlobalTable Tables/Plants Plants may be replaced', 1],
  ['[-] AWS::DynamoDB::GlobalTable Plants orphan', 1],
  ['[-] AWS::DynamoDB::GlobalTable Plants destroy', 1],
  ['[~] AWS::ApiGateway::RestApi RestApi/Rest Api replace', 1],
  ['[~] AWS::DynamoDB::GlobalTable Tables/Plants Plants', 0],
  ['[~] AWS::ApiGateway::RestApi RestApi/Rest Api', 0],
  ['[-] AWS::ApiGateway::Deployment RestApi/Rest/Deployment destroy', 0],
  ['There were no differences', 0],
])('before a deployment, "%s" ends with %i', async (diff, status) => {
  const folder = temporaryFolder();
  const npx = `#!/bin/sh\ncat <<"END"\nStack PlantStore\n${diff}\n └─ [~] Tags\nEND\n`;
  writeFileSync(join(folder, 'npx'), npx, { mode: 0o755 });
  const step = 'Stop if a table or the API would be replaced or removed';
  expect(await runStep(step, folder)).toBe(status);
});

const ours = { type: 'urn:problem-type:plant-store:unauthorized' };
const unknownStage = { message: 'Missing Authentication Token' };
testStep.each([
  { unknown: 2, status: 401, body: ours, calls: 3, code: 0 },
  { unknown: 0, status: 401, body: { message: 'Unauthorized' }, calls: 1, code: 1 },
  { unknown: 0, status: 403, body: { message: 'Forbidden' }, calls: 1, code: 1 },
  { unknown: 0, status: 200, body: ours, calls: 1, code: 1 },
  { unknown: 100, status: 401, body: ours, calls: 30, code: 1 },
])(
  'after a deployment, $status $body to a call without a token, after $unknown responses of an unknown stage, ends with $code',
  async ({ unknown, status, body, calls, code }) => {
    const received: string[] = [];
    const origin = await serve(({ method, url, headers }, response) => {
      received.push(`${method} ${url} ${headers.authorization}`);
      const isKnown = received.length > unknown;
      response.writeHead(isKnown ? status : 403).end(JSON.stringify(isKnown ? body : unknownStage));
    });
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
    const outputs = { 'PlantStore-copy': { BaseUrl: `${origin}/v1`, NextCommand: '' } };
    writeFileSync(join(folder, 'outputs.json'), JSON.stringify(outputs));
    expect(await runStep('Call the deployed API without a token', folder)).toBe(code);
    expect(received).toEqual(Array(calls).fill('GET /v1/plants undefined'));
  },
);

test.each(workflows)('%s pins each action', (file) => {
  const uses = [...readPage(`.github/workflows/${file}`).matchAll(/uses: (.+)/g)];
  expect(uses).not.toHaveLength(0);
  for (const [, action] of uses) {
    expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});
