import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
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

/** Runs a step of the workflow, as GitHub does, in a folder with programs. Returns its exit code. */
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
  const npx = join(folder, 'npx');
  const all = `Stack PlantStore\n${diff}\n └─ [~] Tags`;
  writeFileSync(npx, `#!/bin/sh\ncat <<"END"\n${all}\nEND\n`);
  chmodSync(npx, 0o755);
  const step = 'Stop if a table or the API would be replaced or removed';
  expect(await runStep(step, folder)).toBe(status);
});

const ourProblem = { type: 'urn:problem-type:plant-store:unauthorized' };
testStep.each([
  [401, ourProblem, 0],
  [401, { message: 'Unauthorized' }, 1],
  [403, { message: 'Forbidden' }, 1],
  [200, ourProblem, 1],
])(
  'after a deployment, a response %i %j to a call without a token ends with %i',
  async (...row) => {
    const [status, body, code] = row;
    const calls: string[] = [];
    const origin = await serve(({ method, url, headers }, response) => {
      calls.push(`${method} ${url} ${headers.authorization}`);
      response.writeHead(status).end(JSON.stringify(body));
    });
    const folder = temporaryFolder();
    const outputs = { 'PlantStore-copy': { BaseUrl: `${origin}/v1`, NextCommand: '' } };
    writeFileSync(join(folder, 'outputs.json'), JSON.stringify(outputs));
    expect(await runStep('Call the deployed API without a token', folder)).toBe(code);
    expect(calls).toEqual(['GET /v1/plants undefined']);
  },
);

testStep.each([
  [2, 3, 0],
  [100, 30, 1],
])(
  'after a deployment, %i responses of a stage that is not known yet take %i calls and end with %i',
  async (unknown, expectedCalls, code) => {
    let calls = 0;
    const origin = await serve((_, response) => {
      calls += 1;
      const isKnown = calls > unknown;
      const body = isKnown ? ourProblem : { message: 'Missing Authentication Token' };
      response.writeHead(isKnown ? 401 : 403).end(JSON.stringify(body));
    });
    const folder = temporaryFolder();
    const sleep = join(folder, 'sleep');
    writeFileSync(sleep, '#!/bin/sh\n');
    chmodSync(sleep, 0o755);
    const outputs = { PlantStore: { BaseUrl: `${origin}/v1` } };
    writeFileSync(join(folder, 'outputs.json'), JSON.stringify(outputs));
    expect(await runStep('Call the deployed API without a token', folder)).toBe(code);
    expect(calls).toBe(expectedCalls);
  },
);

test.each(workflows)('%s pins each action', (file) => {
  const uses = [...readPage(`.github/workflows/${file}`).matchAll(/uses: (.+)/g)];
  expect(uses).not.toHaveLength(0);
  for (const [, action] of uses) {
    expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});
