import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { issueToken } from '../../bin/administration/access-tokens.ts';
import { findRecord } from '../../functions/access-tokens/record.ts';
import { tokenId } from '../../functions/access-tokens/token.ts';
import { accessTokenPattern } from '../../functions/shared/access-token.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { listen } from '../../lib/emulator/listen.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { embedded } from '../support/database/engines.ts';
import { openTables } from '../support/database/open-database.ts';
import { describedStack } from '../support/http/described-stack.ts';
import { run, token, tokenProcess } from './command.ts';

// The stack's CloudFormation is a small server, and its DynamoDB is the local engine.

const folder = temporaryFolder();
// Unlike DynamoDB Local, the embedded engine has one database for all keys and regions.
const table = 'PlantStore-AccessTokens-1ABC';
const tokens = await openTables({ accessTokens: table }, embedded);
const local = await openTables();
const outputs: Record<string, Record<string, string>> = {
  PlantStore: { AccessTokensTableName: table },
  SomethingElse: { BucketName: 'b' },
};
const action = 'cloudformation:DescribeStacks';
const errors: Record<string, [status: number, code: string, message: string]> = {
  Forbidden: [403, 'AccessDenied', `User: arn:u is not authorized to perform: ${action}`],
  LoggedOut: [403, 'ExpiredToken', 'The security token included in the request is expired'],
};
const asked: { stack: string; accessKeyId: string | undefined; region: string | undefined }[] = [];
const cloudFormation = createServer(async (request, response) => {
  const stack =
    new URLSearchParams(`${Buffer.concat(await request.toArray())}`).get('StackName') ?? '';
  const [, credential = ''] = /Credential=([^,]*)/.exec(`${request.headers.authorization}`) ?? [];
  const [accessKeyId, , region] = credential.split('/');
  asked.push({ stack, accessKeyId, region });
  if (outputs[stack]) {
    response.end(describedStack(stack, outputs[stack]));
    return;
  }
  const unknown = [400, 'ValidationError', `Stack with id ${stack} does not exist`] as const;
  const [status, code, message] = errors[stack] ?? unknown;
  const error = `<Type>Sender</Type><Code>${code}</Code><Message>${message}</Message>`;
  response.writeHead(status).end(`<ErrorResponse><Error>${error}</Error></ErrorResponse>`);
});
const port = await listen(cloudFormation, 0, '127.0.0.1');
finallyDo(() => cloudFormation.close());
const deployed = {
  AWS_CONFIG_FILE: join(folder, 'config'),
  AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
  AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${port}`,
  AWS_ENDPOINT_URL_DYNAMODB: tokens.endpoint,
};
writeFileSync(deployed.AWS_CONFIG_FILE, '[profile work]\nregion = eu-north-1\n');
writeFileSync(
  deployed.AWS_SHARED_CREDENTIALS_FILE,
  '[work]\naws_access_key_id = WORK\naws_secret_access_key = secret\n',
);

const aws = (line: string, env = {}) => token(line, { ...deployed, ...env });
const keys = { AWS_ACCESS_KEY_ID: 'ENVIRONMENT', AWS_SECRET_ACCESS_KEY: 'secret' };
const account = { ...keys, AWS_REGION: 'eu-west-1' };
const cliAccount = { ...keys, AWS_DEFAULT_REGION: 'sa-east-1' };

test.each<[string, string, object, accessKeyId: string, region: string]>([
  ['a profile', '--profile work', {}, 'WORK', 'eu-north-1'],
  ['a profile and a region', '--profile work --region us-east-2', account, 'WORK', 'us-east-2'],
  ['the environment', '--stack PlantStore', account, 'ENVIRONMENT', 'eu-west-1'],
  ['the AWS CLI’s variable for the region', '', cliAccount, 'ENVIRONMENT', 'sa-east-1'],
  ['the profile in the environment', '', { AWS_PROFILE: 'work' }, 'WORK', 'eu-north-1'],
])('a stack’s outputs name its table, with %s', async (_, options, env, accessKeyId, region) => {
  asked.length = 0;
  const { code, stdout } = await aws(`issue --owner deployed ${options}`, env);
  expect(code).toBe(0);
  expect(asked).toEqual([{ stack: 'PlantStore', accessKeyId, region }]);
  const record = await findRecord(tokens.database, table, tokenId(stdout.trim()) ?? '');
  expect(record).toMatchObject({ owner: 'deployed' });
});

const documents = ['README.md', ...globSync('docs/*.md')];
const documented = documents.flatMap(
  (file) => readFileSync(file, 'utf8').match(/^npm run (-s )?token -- .*$/gm) ?? [],
);
test.each([...new Set(documented)])('the documented command works: %s', async (line) => {
  const isLocal = line.includes('--localhost');
  const { database } = isLocal ? local : tokens;
  const name = isLocal ? tableIds.accessTokens : table;
  const { id, token: whole } = await issueToken(database, name, {
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
    .replace('--localhost', `--localhost --dynamodb-endpoint ${local.endpoint}`);
  // The first goes through npm, and one with a file through a shell.
  const runner = line === documented[0] ? 'npm run' : '"$NODE" --run';
  const script = command.replace(/^npm run( -s)?/, runner);
  const env = { ...deployed, ...account };
  const { code, stderr } =
    line === documented[0] || line.includes('<')
      ? await run('bash', ['-c', script], { ...env, NODE: process.execPath })
      : await token(command.replace(/^.* token -- /, ''), env);
  expect(stderr).not.toContain('error');
  expect(code).toBe(0);
});

test('the page has the pattern for secret scanners', () => {
  expect(readFileSync('docs/access-tokens.md', 'utf8')).toContain(`\n${accessTokenPattern}\n`);
});

const region = { AWS_REGION: 'eu-west-1' };
const noNetwork = { ...account, AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:1' };
test.each<[string, string, object, RegExp]>([
  [
    'no such stack',
    '--stack Nope',
    account,
    /There is no stack Nope in this region\. Deploy it .*, or choose another with --stack/,
  ],
  [
    'another stack',
    '--stack SomethingElse',
    account,
    /The stack SomethingElse has no output AccessTokensTableName\. It is not a plant store/,
  ],
  [
    'no permission',
    '--stack Forbidden',
    account,
    /AWS does not allow it: .* not authorized to perform: cloudformation:DescribeStacks/,
  ],
  [
    'an expired session',
    '--stack LoggedOut',
    account,
    /AWS does not accept the credentials \(.*\)\. Log in again, or choose others with --profile\./,
  ],
  [
    'no credentials',
    '',
    region,
    /There are no AWS credentials \(.*\)\. Log in, choose others with --profile, or add --localhost/,
  ],
  [
    'no such profile',
    '--profile other --region eu-west-1',
    {},
    /There are no AWS credentials for the profile other \(.*\)\. Log in/,
  ],
  ['no region', '', {}, /No AWS region is chosen\. Choose one with --region, or add --localhost/],
  ['no network', '', noNetwork, /AWS cannot be reached \(.*\)\. Check the network and --region\./],
])('if there is %s, one line says so', async (_, options, env, line) => {
  const tried = env === noNetwork ? tokenProcess : token;
  const { code, stdout, stderr } = await tried(`list ${options}`, { ...deployed, ...env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^error: ${line.source}.*\n$`));
});
