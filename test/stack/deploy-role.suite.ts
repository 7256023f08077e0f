import { expect, test } from '@jest/globals';
import { Parameters, Resources } from './deploy-role.ts';
import { toYaml } from './short-form.ts';

test('the provider and the role are the snapshot', () => {
  expect(toYaml(Resources).join('\n')).toMatchSnapshot();
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
  const pattern = new RegExp(`^(${Parameters.Repository.AllowedPattern})$`);
  expect(pattern.test(repository)).toBe(isAllowed);
});
