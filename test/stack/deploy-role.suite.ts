import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { statementsOfDeployRole } from './deploy-role-statements.ts';

// The role of GitHub Actions, .github/deploy-role.yaml.

const app = new App({ outdir: temporaryFolder(), builtinCloudFormationValidation: false });
const templateFile = join(root, '.github', 'deploy-role.yaml');
new CfnInclude(new Stack(app, 'DeployRole'), 'Template', { templateFile });
const { Parameters, Resources } = app.synth().getStackByName('DeployRole').template;
const role = Resources.DeployRole.Properties;

test('the role trusts one branch and environment of the repository with these ids', () => {
  const [statement, ...others] = role.AssumeRolePolicyDocument.Statement;
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
  const StringEquals = Object.fromEntries(
    Object.entries(claims).map(([claim, value]) => [
      `token.actions.githubusercontent.com:${claim}`,
      value,
    ]),
  );
  const provider = [{ 'Fn::GetAtt': 'Provider.Arn' }, { Ref: 'ExistingProvider' }];
  expect(statement).toEqual({
    Effect: 'Allow',
    Action: 'sts:AssumeRoleWithWebIdentity',
    Principal: { Federated: { 'Fn::If': ['MakesProvider', ...provider] } },
    Condition: { StringEquals },
  });
});

test('the provider is GitHub, for AWS, and outlives the stack for other repositories', () => {
  expect(Resources.Provider).toEqual({
    Type: 'AWS::IAM::OIDCProvider',
    Condition: 'MakesProvider',
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      Url: 'https://token.actions.githubusercontent.com',
      ClientIdList: ['sts.amazonaws.com'],
    },
  });
});

test('the role may deploy and read the stack, and may not read the account', () => {
  const [policy, ...others] = role.Policies;
  expect(others).toEqual([]);
  expect(policy.PolicyDocument.Statement).toEqual(statementsOfDeployRole);
});

test.each([
  ['octo-org/plant-store', true],
  // A managed user: https://docs.github.com/en/enterprise-cloud@latest/admin/concepts/identity-and-access-management/enterprise-managed-users
  ['mona_octo/Plant.Store_2', true],
  ['plant-store', false],
  ['octo-org/plant-store/x', false],
  ['octo-org/*', false],
])('whether %s may be the repository: %s', (repository, isAllowed) => {
  // CloudFormation compares the whole value.
  expect(new RegExp(`^(${Parameters.Repository.AllowedPattern})$`).test(repository)).toBe(
    isAllowed,
  );
});
