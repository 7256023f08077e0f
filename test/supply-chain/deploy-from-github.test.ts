import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { readPage } from '../docs/page.ts';
import type { Template } from '../stack/templates.ts';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { testOnPosix } from '../support/posix.ts';

interface RoleTemplate extends Template {
  Parameters: Record<string, { AllowedPattern?: string }>;
}

function deployRole(): RoleTemplate {
  const app = new App({ builtinCloudFormationValidation: false });
  const templateFile = join(root, '.github', 'deploy-role.yaml');
  new CfnInclude(new Stack(app, 'DeployRole'), 'Template', { templateFile });
  return app.synth().getStackByName('DeployRole').template;
}

test('the role trusts one branch and environment of the repository with these ids', () => {
  const { Resources } = deployRole();
  const [statement, ...others] =
    Resources.DeployRole?.Properties.AssumeRolePolicyDocument.Statement ?? [];
  expect(others).toEqual([]);
  const name = (part: number) => ({
    'Fn::Select': [part, { 'Fn::Split': ['/', { Ref: 'Repository' }] }],
  });
  const claims = {
    aud: 'sts.amazonaws.com',
    sub: {
      'Fn::If': [
        'HasIds',
        {
          'Fn::Sub': [
            // biome-ignore-start lint/suspicious/noTemplateCurlyInString: CloudFormation's.
            'repo:${Owner}@${OwnerId}/${Name}@${RepositoryId}:environment:${Environment}',
            { Owner: name(0), Name: name(1) },
          ],
        },
        { 'Fn::Sub': 'repo:${Repository}:environment:${Environment}' },
      ],
    },
    repository_id: { Ref: 'RepositoryId' },
    ref: { 'Fn::Sub': 'refs/heads/${Branch}' },
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: CloudFormation's.
  };
  expect(statement.Condition).toEqual({
    StringEquals: Object.fromEntries(
      Object.entries(claims).map(([claim, value]) => [
        `token.actions.githubusercontent.com:${claim}`,
        value,
      ]),
    ),
  });
});

test('the role may deploy and read the stack, and may not read the account', () => {
  const [policy, ...others] = deployRole().Resources.DeployRole?.Properties.Policies ?? [];
  expect(others).toEqual([]);
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: CloudFormation's.
  const place = '${AWS::AccountId}-${AWS::Region}';
  const role = 'arn:${AWS::Partition}:iam::${AWS::AccountId}:role/cdk-${Qualifier}';
  const stacks = 'arn:${AWS::Partition}:cloudformation:${AWS::Region}:${AWS::AccountId}:stack';
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: CloudFormation's.
  expect(policy.PolicyDocument.Statement).toEqual([
    {
      Effect: 'Allow',
      Action: 'sts:AssumeRole',
      Resource: [
        { 'Fn::Sub': `${role}-deploy-role-${place}` },
        { 'Fn::Sub': `${role}-file-publishing-role-${place}` },
      ],
    },
    {
      Effect: 'Allow',
      Action: ['cloudformation:DescribeStacks', 'cloudformation:GetTemplate'],
      Resource: { 'Fn::Sub': `${stacks}/PlantStore*/*` },
    },
  ]);
});

test.each([
  ['octo-org/plant-store', true],
  // A managed user: https://docs.github.com/en/enterprise-cloud@latest/admin/concepts/identity-and-access-management/enterprise-managed-users
  ['mona_octo/Plant.Store_2', true],
  ['plant-store', false],
  ['octo-org/plant-store/x', false],
  ['octo-org/*', false],
])('whether %s may be the repository: %s', (repository, isAllowed) => {
  const { AllowedPattern = '' } = deployRole().Parameters.Repository ?? {};
  // CloudFormation compares the whole value.
  expect(new RegExp(`^(${AllowedPattern})$`).test(repository)).toBe(isAllowed);
});

test('only the job that deploys gets a token for AWS, and runs no test or install script', () => {
  const [before = '', deploy = ''] = readPage('.github/workflows/deploy.yml').split('\n  deploy:');
  expect(before).toContain('npm test');
  expect(before).not.toContain('id-token');
  expect(deploy).toContain('needs: test');
  const commands = [...deploy.matchAll(/- run: (.+)/g)].map(([, command]) => command);
  expect(commands).toEqual(['npm ci --ignore-scripts', 'npx cdk deploy --require-approval never']);
});

const [, refusal = ''] =
  / {8}run: \|\n((?: {10}.+\n)+)/.exec(readPage('.github/workflows/deploy.yml')) ?? [];

/** Runs the step before a deployment, as GitHub does, with a CDK that prints this. */
function statusOfStep(diff: string): number | null {
  const folder = temporaryFolder();
  const npx = join(folder, 'npx');
  writeFileSync(npx, `#!/bin/sh\ncat <<"END"\n${diff}\nEND\n`);
  chmodSync(npx, 0o755);
  const env = { PATH: `${folder}:${process.env.PATH}` };
  const script = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', refusal];
  return spawnSync('bash', script, { cwd: folder, env }).status;
}

testOnPosix('it has no Bash of its own').each([
  ['[~] AWS::DynamoDB::GlobalTable Tables/Plants Plants replace', 1],
  ['[~] AWS::DynamoDB::GlobalTable Tables/Plants Plants may be replaced', 1],
  ['[-] AWS::DynamoDB::GlobalTable Plants orphan', 1],
  ['[-] AWS::DynamoDB::GlobalTable Plants destroy', 1],
  ['[~] AWS::ApiGateway::RestApi RestApi/Rest Api replace', 1],
  ['[~] AWS::DynamoDB::GlobalTable Tables/Plants Plants', 0],
  ['[~] AWS::ApiGateway::RestApi RestApi/Rest Api', 0],
  ['[-] AWS::ApiGateway::Deployment RestApi/Rest/Deployment destroy', 0],
  ['There were no differences', 0],
])('before a deployment, "%s" ends with %i', (diff, status) => {
  expect(statusOfStep(`Stack PlantStore\n${diff}\n └─ [~] Tags`)).toBe(status);
});

test.each(readdirSync(join(root, '.github', 'workflows')))('%s pins each action', (file) => {
  const uses = [...readPage(`.github/workflows/${file}`).matchAll(/uses: (.+)/g)];
  expect(uses).not.toHaveLength(0);
  for (const [, action] of uses) {
    expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});
