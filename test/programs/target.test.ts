import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { issueToken } from '../../bin/administration/access-tokens.ts';
import { findRecord } from '../../functions/access-tokens/record.ts';
import { tokenId } from '../../functions/access-tokens/token.ts';
import { accessTokenPattern } from '../../functions/shared/access-token.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { embedded } from '../support/database/engines.ts';
import { createTablesOf, openTables, tableOf } from '../support/database/open-database.ts';
import { describedStack } from '../support/http/described-stack.ts';
import { serve } from '../support/http/servers.ts';
import { testOnPosix } from '../support/posix.ts';
import { run, token, tokenProcess } from './command.ts';

// The stack's CloudFormation is a small server, and its DynamoDB is the local engine.

const folder = temporaryFolder();
// Unlike DynamoDB Local, the embedded engine has one database for all keys and regions.
const table = 'PlantStore-AccessTokens-1ABC';
const tokens = await openTables({ accessTokens: table }, embedded);
await createTablesOf({ [tableIds.accessTokens]: tableOf('id') }, tokens);
const outputs: Record<string, Record<string, string>> = {
  PlantStore: { AccessTokensTableName: table },
  Else: { BucketName: 'b' },
};
const errors: Record<string, [status: number, code: string, message: string]> = {
  Nope: [400, 'ValidationError', 'Stack with id Nope does not exist'],
  Forbidden: [403, 'AccessDenied', 'User: arn:u is not authorized to perform: cloudformation:X'],
  LoggedOut: [403, 'ExpiredToken', 'The security token included in the request is expired'],
};
const asked: { stack: string; accessKeyId: string | undefined; region: string | undefined }[] = [];
const cloudFormation = await serve(async (request, response) => {
  const stack =
    new URLSearchParams(`${Buffer.concat(await request.toArray())}`).get('StackName') ?? '';
  const [, credential = ''] = /Credential=([^,]*)/.exec(`${request.headers.authorization}`) ?? [];
  const [accessKeyId, , region] = credential.split('/');
  asked.push({ stack, accessKeyId, region });
  const [status = 200, code, message] = errors[stack] ?? [];
  const error = `<Type>Sender</Type><Code>${code}</Code><Message>${message}</Message>`;
  const described = describedStack(stack, outputs[stack] ?? {});
  response
    .writeHead(status)
    .end(code ? `<ErrorResponse><Error>${error}</Error></ErrorResponse>` : described);
});
const deployed = {
  AWS_CONFIG_FILE: join(folder, 'config'),
  AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
  AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation,
  AWS_ENDPOINT_URL_DYNAMODB: tokens.endpoint,
};
writeFileSync(deployed.AWS_CONFIG_FILE, '[profile work]\nregion = eu-north-1\n');
writeFileSync(
  deployed.AWS_SHARED_CREDENTIALS_FILE,
  '[work]\naws_access_key_id = WORK\naws_secret_access_key = secret\n',
);

const keys = { AWS_ACCESS_KEY_ID: 'ENVIRONMENT', AWS_SECRET_ACCESS_KEY: 'secret' };
const account = { ...keys, AWS_REGION: 'eu-west-1' };
const cliAccount = { ...keys, AWS_DEFAULT_REGION: 'sa-east-1' };

test.each<[string, string, object, accessKeyId: string, region: string]>([
  ['a profile', '--profile work', {}, 'WORK', 'eu-north-1'],
  ['a profile and a region', '--profile work --region us-east-2', account, 'WORK', 'us-east-2'],
  ['the environment', '', account, 'ENVIRONMENT', 'eu-west-1'],
  ['the AWS CLI’s variable for the region', '', cliAccount, 'ENVIRONMENT', 'sa-east-1'],
  ['the profile in the environment', '', { AWS_PROFILE: 'work' }, 'WORK', 'eu-north-1'],
])('a stack’s outputs name its table, with %s', async (_, options, env, accessKeyId, region) => {
  asked.length = 0;
  const { stdout } = await token(`issue --owner deployed --stack PlantStore ${options}`, {
    ...deployed,
    ...env,
  });
  expect(asked).toEqual([{ stack: 'PlantStore', accessKeyId, region }]);
  const record = await findRecord(tokens.database, table, tokenId(stdout.trim()) ?? '');
  expect(record).toMatchObject({ owner: 'deployed' });
});

const documents = ['README.md', ...globSync('docs/*.md')];
const documented = documents.flatMap(
  (file) => readFileSync(file, 'utf8').match(/^npm run (-s )?token -- .*$/gm) ?? [],
);
// One with a file goes through a shell and npm.
const isOfShell = (line: string) => line.includes('<');
const worksAsDocumented = 'the documented command works: %s';
const lines = [...new Set(documented)];
test.each(lines.filter((line) => !isOfShell(line)))(worksAsDocumented, expectToWork);
testOnPosix('it has no Bash of its own').each(lines.filter(isOfShell))(
  worksAsDocumented,
  expectToWork,
);

async function expectToWork(line: string): Promise<void> {
  const name = line.includes('--localhost') ? tableIds.accessTokens : table;
  const { id, token: whole } = await issueToken(tokens.database, name, {
    owner: 'alice',
    scopes: ['plants:read'],
    label: '',
    expires: undefined,
  });
  const file = join(folder, 'token');
  writeFileSync(file, whole);
  const command = line
    .replace('TOKEN_ID', id)
    .replace('FILE_WITH_TOKEN', file)
    .replace(/--stack \S+/, '--stack PlantStore')
    .replace('--localhost', `--localhost --dynamodb-endpoint ${tokens.endpoint}`);
  const env = { ...deployed, ...account };
  const { code, stderr } = isOfShell(line)
    ? await run('bash', ['-c', command], env)
    : await token(command.replace(/^.* token -- /, ''), env);
  expect(stderr).not.toContain('error');
  expect(code).toBe(0);
}

test('the page has the pattern for secret scanners', () => {
  expect(readFileSync('docs/access-tokens.md', 'utf8')).toContain(`\n${accessTokenPattern}\n`);
});

const region = { AWS_REGION: 'eu-west-1' };
const noNetwork = { ...account, AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:1' };
test.each<[options: string, variables: object, line: string]>([
  ['--stack Nope', account, 'There is no stack Nope in this region. … --stack or --region.'],
  [
    '--stack Else',
    account,
    'The stack Else has no output AccessTokensTableName. … choose another with --stack.',
  ],
  ['--stack Forbidden', account, 'AWS does not allow it: User: arn:u is not authorized …'],
  ['--stack LoggedOut', account, 'AWS does not accept the credentials (…). … --profile.'],
  [
    '--stack A',
    region,
    'There are no AWS credentials (…). Log in, or choose others with --profile.',
  ],
  [
    '--stack A --profile b',
    region,
    'There are no AWS credentials for the profile b (…). Log in, …',
  ],
  ['--stack A', {}, 'No AWS region is chosen. Choose one with --region.'],
  ['--stack A', noNetwork, 'AWS cannot be reached (…). Check the network and --region.'],
])('list %s with the variables %j fails with one line: %s', async (options, variables, line) => {
  const tried = variables === noNetwork ? tokenProcess : token;
  const { code, stdout, stderr } = await tried(`list ${options}`, { ...deployed, ...variables });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^error: ${line.split('…').map(RegExp.escape).join('.*')}\n$`));
});
