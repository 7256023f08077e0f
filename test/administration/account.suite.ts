import { writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from '@jest/globals';
import { tokenProgram } from '../../bin/token.ts';
import { readPage } from '../docs/page.ts';
import { account, keys, startDeployedStack } from '../support/programs/deployed-stack.ts';
import { emptyTable, failure, usingStack } from '../support/programs/printed.ts';
import { runHere } from '../support/programs/run.ts';

const { env: deployed, asked } = await startDeployedStack();
beforeEach(() => {
  asked.length = 0;
});
writeFileSync(
  deployed.AWS_CONFIG_FILE,
  `[profile work]
region = eu-north-1
[profile other]
region = ap-south-1
[profile mfa]
region = eu-north-1
role_arn = arn:aws:iam::111122223333:role/admin
source_profile = work
mfa_serial = arn:aws:iam::111122223333:mfa/ann
[profile empty]
region = eu-north-1
`,
);
const formatKeys = (name: string) =>
  `[${name.toLowerCase()}]\naws_access_key_id = ${name}\naws_secret_access_key = secret\n`;
writeFileSync(deployed.AWS_SHARED_CREDENTIALS_FILE, formatKeys('WORK') + formatKeys('OTHER'));

const cliRegion = { AWS_DEFAULT_REGION: 'sa-east-1' };
const otherProfile = { AWS_DEFAULT_PROFILE: 'other' };
const profiles = { AWS_PROFILE: 'work', ...otherProfile };
const halfKey = { AWS_ACCESS_KEY_ID: 'HALF' };

test.each<[string, string, object, accessKeyId: string, region: string]>([
  ['a profile before keys', '--profile work', { ...keys, ...profiles }, 'WORK', 'eu-north-1'],
  ['a profile and a region', '--profile work --region us-east-2', account, 'WORK', 'us-east-2'],
  ['keys before AWS_PROFILE', '', { ...account, ...profiles }, 'ENVIRONMENT', 'eu-west-1'],
  ['keys and the region of AWS_PROFILE', '', { ...keys, ...profiles }, 'ENVIRONMENT', 'eu-north-1'],
  ['AWS_REGION before the CLI’s', '', { ...account, ...cliRegion }, 'ENVIRONMENT', 'eu-west-1'],
  ['AWS_PROFILE before half a key', '', { ...halfKey, AWS_PROFILE: 'work' }, 'WORK', 'eu-north-1'],
  ['AWS_DEFAULT_PROFILE', '', otherProfile, 'OTHER', 'ap-south-1'],
  ['AWS_DEFAULT_PROFILE and a region', '', { ...otherProfile, ...cliRegion }, 'OTHER', 'sa-east-1'],
])('with %s, the program uses that account and says where', async (_, options, env, ...used) => {
  const [accessKeyId, region] = used;
  const command = `list --owner nobody --stack PlantStore ${options}`;
  const ended = await runHere(tokenProgram, command, { env: { ...deployed, ...env } });
  expect(asked).toEqual([{ action: 'DescribeStacks', stack: 'PlantStore', accessKeyId, region }]);
  expect(ended).toEqual({ code: 0, stdout: emptyTable, stderr: usingStack(region) });
});

test('docs/access-tokens.md has the only permission of CloudFormation that a command needs', () => {
  const documented = readPage('docs/access-tokens.md').match(/cloudformation:\w+/g);
  expect(documented).toEqual(['cloudformation:DescribeStacks']);
});

test('without a terminal, a profile with mfa_serial fails with the command that logs in', async () => {
  const env = { ...deployed, AWS_PROFILE: 'mfa' };
  expect(await runHere(tokenProgram, 'list --stack PlantStore', { env })).toEqual(
    failure(
      'error: The AWS profile mfa needs a code of arn:aws:iam::111122223333:mfa/ann, but there is no terminal to type it. Run: eval "$(aws configure export-credentials --profile mfa --format env)", then the command without --profile.',
    ),
  );
});

const noProfile = (name: string) =>
  `error: There is no AWS profile ${name}. Choose another with --profile.`;
const noStack = (where: string) =>
  `error: There is no stack Nope in ${where}. Deploy it with "npx cdk deploy", or choose another with --stack or --region.`;
const noPlantStore = (stack: string, problem: string) =>
  `error: The stack ${stack} has ${problem}. It is not a plant store, or its deployment did not finish. Run "npx cdk deploy", or choose another with --stack.`;
test.each<[options: string, variables: object, error: string]>([
  ['--stack A --profile wrok', account, noProfile('wrok')],
  ["--stack A --profile ''", { ...account, AWS_PROFILE: 'work' }, noProfile('')],
  [
    '--stack A',
    { AWS_DEFAULT_PROFILE: 'wrok' },
    noProfile('wrok, which AWS_DEFAULT_PROFILE names'),
  ],
  ['--stack Nope', account, noStack('this region')],
  ['--stack Nope --region eu-west-1', keys, noStack('eu-west-1')],
  ['--stack Else', account, noPlantStore('Else', 'no output PlantsTableName')],
  [
    '--stack Evil',
    account,
    noPlantStore(
      'Evil',
      'the output AccessTokensTableName "arn:aws:dynamodb:eu-west-1:666666666666:table/evil"',
    ),
  ],
  [
    '--stack A --profile empty',
    {},
    'error: There are no AWS credentials for the profile empty (Could not load credentials from any providers). Log in, or choose others with --profile.',
  ],
])('list %s with the variables %j fails with one line', async (options, variables, error) => {
  const env = { ...deployed, ...variables };
  expect(await runHere(tokenProgram, `list ${options}`, { env })).toEqual(failure(error));
});
