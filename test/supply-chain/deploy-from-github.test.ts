import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { readPage } from '../docs/page.ts';
import type { Template } from '../stack/templates.ts';
import { root } from '../support/project.ts';

function deployRole(): Template {
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

test('only the job that deploys gets a token for AWS, and runs no test or install script', () => {
  const [before = '', deploy = ''] = readPage('.github/workflows/deploy.yml').split('\n  deploy:');
  expect(before).toContain('npm test');
  expect(before).not.toContain('id-token');
  expect(deploy).toContain('needs: test');
  const commands = [...deploy.matchAll(/- run: (.+)/g)].map(([, command]) => command);
  expect(commands).toEqual([
    'npm ci --ignore-scripts',
    'npx cdk diff',
    'npx cdk deploy --require-approval never',
  ]);
});

test.each(readdirSync(join(root, '.github', 'workflows')))('%s pins each action', (file) => {
  const uses = [...readPage(`.github/workflows/${file}`).matchAll(/uses: (.+)/g)];
  expect(uses).not.toHaveLength(0);
  for (const [, action] of uses) expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});
