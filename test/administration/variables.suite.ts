import { writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../support/cleanup.ts';
import { serve } from '../support/http/servers.ts';
import { failure } from '../support/programs/printed.ts';
import { runHere } from '../support/programs/run.ts';
import { targetCommands } from '../support/programs/target-commands.ts';

const folder = temporaryFolder();
const config = join(folder, 'config');
const missing = join(folder, 'missing');
writeFileSync(config, '[profile space]\nregion = eu west\n[profile work]\nregion = eu-north-1\n');
/** The regions in which the stack was looked for. */
const regions = new Set<string>();
const aws = await serve(({ headers }, response) => {
  const [, region = ''] = /Credential=[^/]*\/\d+\/([^/]*)/.exec(`${headers.authorization}`) ?? [];
  regions.add(region);
  const error = '<Code>AccessDenied</Code><Message>reached</Message>';
  response.writeHead(403).end(`<ErrorResponse><Error>${error}</Error></ErrorResponse>`);
});
const usual = {
  AWS_ACCESS_KEY_ID: 'KEY',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_REGION: 'eu-west-1',
  AWS_CONFIG_FILE: config,
  AWS_ENDPOINT_URL: aws,
  HOME: folder,
  USERPROFILE: folder,
};

const reached = 'AWS denied access (reached). Choose other credentials with --profile.';
const noRegion = 'No AWS region given. Use --region.';
const noCredentials =
  'There are no AWS credentials (Could not load credentials from any providers). Log in, or ' +
  'choose others with --profile.';
const noForm = (name: string, description: string) => `${name} is not ${description}. Correct it.`;
const noRegionForm = (name: string, region: string) =>
  `${name} is "${region}", which is no AWS region. A region looks like eu-central-1.`;
const noAddress = (name: string) => noForm(name, 'an address like http://127.0.0.1:4566');
const noWord = (name: string) => noForm(name, 'one word in ASCII');

const odd: { env: Record<string, string>; options?: string; error: string; region?: string }[] = [
  // An empty variable is not set.
  { env: { AWS_REGION: '' }, error: noRegion },
  { env: { AWS_REGION: '', AWS_DEFAULT_REGION: 'sa-east-1' }, error: reached, region: 'sa-east-1' },
  { env: { AWS_REGION: '', AWS_PROFILE: 'work' }, error: reached, region: 'eu-north-1' },
  { env: { AWS_SECRET_ACCESS_KEY: '' }, error: noCredentials },
  { env: { AWS_DEFAULTS_MODE: '', AWS_CA_BUNDLE: '', HTTPS_PROXY: '' }, error: reached },
  // An invalid one is named.
  { env: { AWS_REGION: 'us-east-1 ' }, error: noRegionForm('AWS_REGION', 'us-east-1 ') },
  { env: { AWS_REGION: '\u001b[2J' }, error: noRegionForm('AWS_REGION', '\\u001b[2J') },
  {
    env: { AWS_REGION: '', AWS_DEFAULT_REGION: 'eu_west_1' },
    error: noRegionForm('AWS_DEFAULT_REGION', 'eu_west_1'),
  },
  { env: {}, options: '--region eu_west_1', error: noRegionForm('--region', 'eu_west_1') },
  { env: {}, options: "--region ''", error: noRegionForm('--region', '') },
  {
    env: { AWS_REGION: '', AWS_PROFILE: 'space' },
    error: noRegionForm('the AWS profile space', 'eu west'),
  },
  {
    env: { AWS_DEFAULTS_MODE: 'fast' },
    error: noForm('AWS_DEFAULTS_MODE', 'a mode like standard'),
  },
  { env: { AWS_ENDPOINT_URL: 'localhost:4566' }, error: noAddress('AWS_ENDPOINT_URL') },
  {
    env: { AWS_ENDPOINT_URL_CLOUDFORMATION: 'ftp://127.0.0.1' },
    error: noAddress('AWS_ENDPOINT_URL_CLOUDFORMATION'),
  },
  {
    env: { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'x' },
    error: noAddress('AWS_EC2_METADATA_SERVICE_ENDPOINT'),
  },
  { env: { AWS_ACCESS_KEY_ID: 'KEY\n' }, error: noWord('AWS_ACCESS_KEY_ID') },
  { env: { AWS_SECRET_ACCESS_KEY: 'secret ' }, error: noWord('AWS_SECRET_ACCESS_KEY') },
  { env: { AWS_SESSION_TOKEN: 'clé' }, error: noWord('AWS_SESSION_TOKEN') },
  { env: { AWS_MAX_ATTEMPTS: 'many', AWS_RETRY_MODE: 'x' }, error: reached },
  { env: { AWS_USE_FIPS_ENDPOINT: 'x', AWS_USE_DUALSTACK_ENDPOINT: 'x' }, error: reached },
  { env: { AWS_CONFIG_FILE: folder, AWS_SHARED_CREDENTIALS_FILE: folder }, error: reached },
  { env: { HOME: devNull, USERPROFILE: devNull }, error: reached },
  { env: { INIT_CWD: missing }, error: reached },
  {
    env: {
      AWS_ACCESS_KEY_ID: '',
      AWS_WEB_IDENTITY_TOKEN_FILE: missing,
      AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/ci',
    },
    error:
      `Cannot read the AWS credentials: ENOENT: no such file or directory, open '${missing}'. ` +
      'Correct AWS_WEB_IDENTITY_TOKEN_FILE.',
  },
  {
    env: { AWS_ACCESS_KEY_ID: '', AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '%%' },
    error: noForm('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', 'a path like /v2/credentials'),
  },
];

// The commands take turns, because one function reads the variables for all of them.
const rows = targetCommands.flatMap((command, first) =>
  odd.filter((_, i) => i % targetCommands.length === first).map((row) => ({ ...command, ...row })),
);
test.each(rows)('with $env, $line fails with one line', async ({ program, line, ...row }) => {
  const { env, options = '', error, region = 'eu-west-1' } = row;
  regions.clear();
  const ended = await runHere(program, `${line} --stack PlantStore ${options}`, {
    env: { ...usual, ...env },
  });
  expect(ended).toEqual(failure(`error: ${error}`));
  expect([...regions]).toEqual(error === reached ? [region] : []);
});
