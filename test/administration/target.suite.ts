import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, jest, test } from '@jest/globals';
import { tokenProgram } from '../../bin/token.ts';
import { findTokenId } from '../../functions/access-tokens/token.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds, tableKeys } from '../../functions/shared/table-schema.ts';
import { accessTokenPattern } from '../../functions/shared/token-form.ts';
import { createTable } from '../../lib/local/database/tables.ts';
import { issueToken } from '../../lib/tokens/tokens.ts';
import { readPage } from '../docs/page.ts';
import { findRecord } from '../support/access-tokens/record.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { clock } from '../support/clock/clock.ts';
import { openDatabase } from '../support/database/engine.ts';
import { describeStack } from '../support/http/described-stack.ts';
import { serve, startForwarder } from '../support/http/servers.ts';
import { emptyTable, mask, usingStack } from '../support/programs/printed.ts';
import { runHere } from '../support/programs/run.ts';
import { targetCommands } from '../support/programs/target-commands.ts';

// A small server is the stack's CloudFormation. The local engine is its DynamoDB.

const folder = temporaryFolder();
// The database has the tables of npm start, and the stack's table of access tokens.
const { endpoint, database } = await openDatabase();
const table = 'PlantStore-AccessTokens-1ABC';
await createTable(database, table, tableKeys.accessTokens);
const ownTables = { AccessTokensTableName: table, PlantsTableName: 'PlantStore-Plants-1ABC' };
const arn = 'arn:aws:dynamodb:eu-west-1:666666666666:table/evil';
const outputs: Record<string, Record<string, string>> = {
  PlantStore: ownTables,
  Else: { BucketName: 'b' },
  Evil: { ...ownTables, AccessTokensTableName: arn },
};
const errors: Record<string, [status: number, code: string, message: string]> = {
  Nope: [400, 'ValidationError', 'Stack with id Nope does not exist'],
  Forbidden: [403, 'AccessDenied', 'User: arn:u is not authorized to perform: cloudformation:X'],
  LoggedOut: [403, 'ExpiredToken', 'The security token included in the request is expired'],
};
/** What CloudFormation was asked. */
const asked: object[] = [];
/** By how much AWS's clock is ahead of this computer's. */
let aheadMs = 0;
beforeEach(() => {
  asked.length = 0;
  aheadMs = 0;
});
const cloudFormation = await serve(async (request, response) => {
  const form = new URLSearchParams(`${Buffer.concat(await request.toArray())}`);
  const stack = form.get('StackName') ?? '';
  const [, credential = ''] = /Credential=([^,]*)/.exec(`${request.headers.authorization}`) ?? [];
  const [accessKeyId, , region] = credential.split('/');
  asked.push({ action: form.get('Action'), stack, accessKeyId, region });
  const [status = 200, code, message] = errors[stack] ?? [];
  const error = `<Type>Sender</Type><Code>${code}</Code><Message>${message}</Message>`;
  const described = describeStack(stack, outputs[stack] ?? {}, region);
  const date = new Date(Date.now() + aheadMs).toUTCString();
  response
    .writeHead(status, { date })
    .end(code ? `<ErrorResponse><Error>${error}</Error></ErrorResponse>` : described);
});
const deployed = {
  // The SDK looks for sessions of SSO there.
  HOME: folder,
  USERPROFILE: folder,
  AWS_CONFIG_FILE: join(folder, 'config'),
  AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
  AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation,
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
};
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
[profile sso]
region = eu-north-1
sso_account_id = 111122223333
sso_role_name = admin
sso_region = eu-north-1
sso_start_url = https://sso.example/start
`,
);
// A session of SSO that has expired.
const sessions = join(folder, '.aws', 'sso', 'cache');
const session = createHash('sha1').update('https://sso.example/start').digest('hex');
mkdirSync(sessions, { recursive: true });
writeFileSync(
  join(sessions, `${session}.json`),
  '{"accessToken":"x","expiresAt":"2026-01-01T00:00:00Z"}',
);
const formatKeys = (name: string) =>
  `[${name.toLowerCase()}]\naws_access_key_id = ${name}\naws_secret_access_key = secret\n`;
writeFileSync(deployed.AWS_SHARED_CREDENTIALS_FILE, formatKeys('WORK') + formatKeys('OTHER'));

const keys = { AWS_ACCESS_KEY_ID: 'ENVIRONMENT', AWS_SECRET_ACCESS_KEY: 'secret' };
const account = { ...keys, AWS_REGION: 'eu-west-1' };
const cliRegion = { AWS_DEFAULT_REGION: 'sa-east-1' };
const otherProfile = { AWS_DEFAULT_PROFILE: 'other' };
const profiles = { AWS_PROFILE: 'work', ...otherProfile };
const halfKey = { AWS_ACCESS_KEY_ID: 'HALF' };

test.each<[string, string, object, accessKeyId: string, region: string]>([
  ['a profile before keys', '--profile work', { ...keys, ...profiles }, 'WORK', 'eu-north-1'],
  ['a profile and a region', '--profile work --region us-east-2', account, 'WORK', 'us-east-2'],
  ['keys before AWS_PROFILE', '', { ...account, ...profiles }, 'ENVIRONMENT', 'eu-west-1'],
  ['keys and the region of AWS_PROFILE', '', { ...keys, ...profiles }, 'ENVIRONMENT', 'eu-north-1'],
  ['AWS_DEFAULT_REGION', '', { ...keys, ...cliRegion }, 'ENVIRONMENT', 'sa-east-1'],
  ['AWS_REGION before it', '', { ...account, ...cliRegion }, 'ENVIRONMENT', 'eu-west-1'],
  ['AWS_PROFILE before half a key', '', { ...halfKey, AWS_PROFILE: 'work' }, 'WORK', 'eu-north-1'],
  ['AWS_PROFILE before AWS_DEFAULT_PROFILE', '', profiles, 'WORK', 'eu-north-1'],
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
  expect(await runHere(tokenProgram, 'list --stack PlantStore', { env })).toMatchSnapshot();
});

const newToken = { owner: 'ann', scopes: allScopes, label: '', lifetime: 'never' } as const;
const scanTokens = async (TableName: string) =>
  (await database.send(new ScanCommand({ TableName }))).Items;
/** Starts a database whose responses have this date. Returns its endpoint. */
const serveWithDate = (date: string) =>
  startForwarder(endpoint, {
    spoil(status, headers) {
      headers.date = date;
      return status;
    },
  });
const hours = 3_600_000;
const minutes = 60_000;
const inTwoHours = () => new Date(Date.now() + 2 * hours).toUTCString();

test('issue and rotate write nothing on a computer whose clock is wrong', async () => {
  const { id } = await issueToken(database, table, newToken);
  const stored = await scanTokens(table);
  for (const [command, by] of [
    ['issue --owner late', 1.8 * minutes],
    ['issue --owner early', -2 * hours],
    ['rotate ID', 2 * hours],
    ['rotate ID', -1.1 * minutes],
  ] as const) {
    aheadMs = by;
    const line = `${command.replace('ID', id)} --stack PlantStore`;
    const ended = await runHere(tokenProgram, line, { env: { ...deployed, ...account } });
    expect(ended).toMatchSnapshot(`${command}, ${by / minutes} minutes slow`);
  }
  expect(await scanTokens(table)).toEqual(stored);
});

test.each(['issue --owner here', 'rotate Zk3v9QeXb2Lr'])(
  '%s compares the clock with a local database too',
  async (command) => {
    const stored = await scanTokens(tableIds.accessTokens);
    const line = `${command} --dynamodb-endpoint ${await serveWithDate(inTwoHours())}`;
    expect(await runHere(tokenProgram, line)).toMatchSnapshot();
    expect(await scanTokens(tableIds.accessTokens)).toEqual(stored);
  },
);

test.each([0.9, -0.9])('a clock that is %d minutes off is right enough', async (off) => {
  aheadMs = off * minutes;
  const command = 'issue --owner exact --stack PlantStore';
  const ended = await runHere(tokenProgram, command, { env: { ...deployed, ...account } });
  expect(mask(ended)).toMatchSnapshot();
  const id = findTokenId(ended.stdout.trim()) ?? '';
  expect(await findRecord(database, table, id)).toMatchObject({ owner: 'exact' });
});

test('a database without a date does not stop a command', async () => {
  const line = `issue --owner dateless --dynamodb-endpoint ${await serveWithDate('never')}`;
  expect(mask(await runHere(tokenProgram, line))).toMatchSnapshot();
});

test('revoke revokes on a computer with any clock, and warns', async () => {
  const { id } = await issueToken(database, table, newToken);
  const dynamoDb = { AWS_ENDPOINT_URL_DYNAMODB: await serveWithDate(inTwoHours()) };
  const env = { ...deployed, ...account, ...dynamoDb };
  aheadMs = 2 * hours;
  const ended = await runHere(tokenProgram, `revoke ${id} --stack PlantStore`, { env });
  expect(mask(ended, { ID: id })).toMatchSnapshot();
  expect(await findRecord(database, table, id)).toHaveProperty('revoked');
});

const documents = ['README.md', ...globSync('docs/*.md')];
const documented = documents.flatMap(
  (file) => readFileSync(file, 'utf8').match(/^npm run (-s )?token -- .*$/gm) ?? [],
);
test.each([...new Set(documented)])('the documented command succeeds: %s', async (line) => {
  const isLocal = line.includes('--localhost');
  const stored = isLocal ? tableIds.accessTokens : table;
  const { id, token } = await issueToken(database, stored, newToken);
  const command = line
    .replace(/^.* token -- /, '')
    .replace('TOKEN_ID', id)
    .replace('< FILE_WITH_TOKEN', '')
    .replace(/--stack \S+/, '--stack PlantStore')
    .replace('--localhost', `--localhost --dynamodb-endpoint ${endpoint}`);
  const env = { ...deployed, ...account };
  expect(await runHere(tokenProgram, command, { env, stdin: token })).toMatchObject({ code: 0 });
});

test('docs/access-tokens.md has the pattern for secret scanners', () => {
  expect(readPage('docs/access-tokens.md')).toContain(`\n${accessTokenPattern}\n`);
});

const region = { AWS_REGION: 'eu-west-1' };
test.each<[options: string, variables: object]>([
  ['--stack A --profile wrok', account],
  ["--stack A --profile ''", { ...account, AWS_PROFILE: 'work' }],
  ['--stack A', { ...account, AWS_PROFILE: 'wrok' }],
  ['--stack A', { AWS_DEFAULT_PROFILE: 'wrok' }],
  ['--stack Nope', account],
  ['--stack Nope --region eu-west-1', keys],
  ['--stack Else', account],
  ['--stack Evil', account],
  ['--stack Forbidden', account],
  ['--stack LoggedOut', account],
  ['--stack A', region],
  ['--stack A --profile empty', region],
  ['--stack A --profile sso', {}],
  ['--stack A', {}],
])('list %s with the variables %j fails with one line', async (options, variables) => {
  const env = { ...deployed, ...variables };
  expect(await runHere(tokenProgram, `list ${options}`, { env })).toMatchSnapshot();
});

test('a CloudFormation that never responds fails with one line after three attempts of 3 s', async () => {
  let attempts = 0;
  const silent = await serve(() => {
    attempts += 1;
    clock.advance(3000);
  });
  const env = { ...deployed, ...account, AWS_ENDPOINT_URL_CLOUDFORMATION: silent };
  const { stderr, ...ended } = await runHere(tokenProgram, 'list --stack A', { env });
  expect({ ...ended, stderr, attempts }).toMatchSnapshot();
});

test('a command says which local database it uses', async () => {
  const line = `list --owner nobody --dynamodb-endpoint ${endpoint}`;
  const used = await runHere(tokenProgram, line, { keepsTarget: true });
  const stderr = `Using the database at ${endpoint}.\n`;
  expect(used).toEqual({ code: 0, stdout: emptyTable, stderr });
});

test('--localhost is the default port of npm start', async () => {
  const send = jest.spyOn(DynamoDBDocumentClient.prototype, 'send');
  const sent: unknown[] = [];
  send.mockImplementation(async function (this: DynamoDBDocumentClient) {
    sent.push(await this.config.endpoint?.());
    throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  } as never);
  const { stderr } = await runHere(tokenProgram, 'list --localhost');
  expect(sent).toEqual([expect.objectContaining({ hostname: '127.0.0.1', port: 8000 })]);
  expect(stderr).toBe(
    'error: No database responds at http://127.0.0.1:8000. Start it with "npm start", or name its ' +
      'address with --dynamodb-endpoint.\n',
  );
});

const plantsKey = ['owner', 'id'];
test.each<[keys: Record<string, string[]>, problem: string]>([
  [{}, 'has no table Plants'],
  [{ Plants: ['owner', 'name'] }, 'has another table Plants'],
  [{ Plants: ['owner'] }, 'has another table Plants'],
  [{ Plants: plantsKey }, 'has no table AccessTokens'],
  [{ Plants: plantsKey, AccessTokens: ['digest'] }, 'has another table AccessTokens'],
])('a database with the tables %j is no plant store', async (keys, problem) => {
  const asked: string[] = [];
  const endpoint = await serve(async (request, response) => {
    const { TableName } = JSON.parse(`${Buffer.concat(await request.toArray())}`);
    asked.push(`${request.headers['x-amz-target']}`);
    const KeySchema = keys[TableName]?.map((AttributeName) => ({ AttributeName }));
    const error = { __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException' };
    response.writeHead(KeySchema ? 200 : 400);
    response.end(JSON.stringify(KeySchema ? { Table: { KeySchema } } : error));
  });
  const line = `issue --owner ann --dynamodb-endpoint ${endpoint}`;
  expect(await runHere(tokenProgram, line)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      `error: The database at ${endpoint} ${problem}. It is not a plant store. Name the one of your ` +
      '"npm start" with --dynamodb-endpoint.\n',
  });
  expect(new Set(asked)).toEqual(new Set(['DynamoDB_20120810.DescribeTable']));
});

test('endpoints of FIPS and of two protocols are not for a local database', async () => {
  const env = { AWS_USE_FIPS_ENDPOINT: 'true', AWS_USE_DUALSTACK_ENDPOINT: 'true' };
  const line = `list --owner nobody --dynamodb-endpoint ${endpoint}`;
  const ended = await runHere(tokenProgram, line, { env });
  expect(ended).toEqual({ code: 0, stdout: emptyTable, stderr: '' });
});

test('if no database responds, the program fails with one line', async () => {
  const ended = await runHere(tokenProgram, 'list --dynamodb-endpoint http://localhost:1');
  expect(ended).toMatchSnapshot();
});

test.each([
  { command: 'list', status: 403, body: '{"message":"Forbidden"}' },
  { command: 'issue --owner ann', status: 200, body: '' },
  { command: 'list', status: 200, body: '' },
  { command: 'revoke Zk3v9QeXb2Lr', status: 200, body: '' },
])('$command fails if the database responds with $status and "$body"', async (row) => {
  const endpoint = await serve((_, response) => response.writeHead(row.status).end(row.body));
  const ended = await runHere(tokenProgram, `${row.command} --dynamodb-endpoint ${endpoint}`);
  expect(mask(ended, { ENDPOINT: endpoint })).toMatchSnapshot();
});

// The account in the environment uses this server for both services.
let calls = 0;
const counter = await serve((_, response) => {
  calls += 1;
  response.writeHead(500).end();
});

const namingNoStack = { program: tokenProgram, line: 'list --region eu-central-1 --profile work' };
test.each([...targetCommands, namingNoStack])(
  '$line without a target sends no request and fails',
  async (command) => {
    const env = { ...account, AWS_ENDPOINT_URL: counter };
    expect(await runHere(command.program, command.line, { env })).toMatchSnapshot();
    expect(calls).toBe(0);
  },
);
