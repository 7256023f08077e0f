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

test('the provider and the role are the snapshot', () => {
  expect(Resources).toMatchSnapshot();
});

test('the role has the rights of the deployment that is tested', () => {
  const [policy] = Resources.DeployRole.Properties.Policies;
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
