import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { announce, findRunning } from '../../bin/command-line/running.ts';
import { plantsProgram } from '../../bin/plants.ts';
import { tokenProgram } from '../../bin/token.ts';
import { issueToken } from '../../functions/access-tokens/administration.ts';
import { parseTokenId } from '../../functions/access-tokens/token.ts';
import { accessTokenPattern } from '../../functions/shared/access-token.ts';
import { tableIds, tableKeys } from '../../functions/shared/table-schema.ts';
import { createTable } from '../../lib/offline/database.ts';
import { findRecord } from '../support/access-tokens/record.ts';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { openDatabase } from '../support/database/engine.ts';
import { describeStack } from '../support/http/described-stack.ts';
import { serve } from '../support/http/servers.ts';
import { testOnPosix } from '../support/posix.ts';
import { runHere, runProcess } from './run.ts';

// A small server is the stack's CloudFormation. The local engine is its DynamoDB.

const folder = temporaryFolder();
// The database has the tables of npm start, and the stack's table of access tokens.
const { endpoint, database } = await openDatabase();
const table = 'PlantStore-AccessTokens-1ABC';
await createTable(database, table, tableKeys.accessTokens);
const outputs: Record<string, Record<string, string>> = {
  PlantStore: { AccessTokensTableName: table, PlantsTableName: 'PlantStore-Plants-1ABC' },
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
  const described = describeStack(stack, outputs[stack] ?? {});
  response
    .writeHead(status)
    .end(code ? `<ErrorResponse><Error>${error}</Error></ErrorResponse>` : described);
});
const deployed = {
  AWS_CONFIG_FILE: join(folder, 'config'),
  AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
  AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation,
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
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
])(
  'the outputs of a stack name its table, with %s',
  async (_, options, env, accessKeyId, region) => {
    asked.length = 0;
    const command = `issue --owner deployed --stack PlantStore ${options}`;
    const { stdout } = await runHere(tokenProgram, command, { env: { ...deployed, ...env } });
    expect(asked).toEqual([{ stack: 'PlantStore', accessKeyId, region }]);
    const record = await findRecord(database, table, parseTokenId(stdout.trim()) ?? '');
    expect(record).toMatchObject({ owner: 'deployed' });
  },
);

const documents = ['README.md', ...globSync('docs/*.md')];
const documented = documents.flatMap(
  (file) => readFileSync(file, 'utf8').match(/^npm run (-s )?token -- .*$/gm) ?? [],
);
test.each([...new Set(documented)])('the documented command succeeds: %s', async (line) => {
  const isLocal = line.includes('--localhost');
  const { id, token } = await issueToken(database, isLocal ? tableIds.accessTokens : table, {
    owner: 'alice',
    scopes: ['plants:read'],
    label: '',
    lifetime: 'never',
  });
  const command = line
    .replace(/^.* token -- /, '')
    .replace('TOKEN_ID', id)
    .replace('< FILE_WITH_TOKEN', '')
    .replace(/--stack \S+/, '--stack PlantStore')
    .replace('--localhost', `--localhost --dynamodb-endpoint ${endpoint}`);
  const env = { ...deployed, ...account };
  const { code, stderr } = await runHere(tokenProgram, command, { env, stdin: token });
  expect(stderr).not.toContain('error');
  expect(code).toBe(0);
});

test('docs/access-tokens.md has the pattern for secret scanners', () => {
  expect(readFileSync('docs/access-tokens.md', 'utf8')).toContain(`\n${accessTokenPattern}\n`);
});

const region = { AWS_REGION: 'eu-west-1' };
const noNetwork = { ...account, AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:1' };
test.each<[options: string, variables: object, line: string]>([
  ['--stack Nope', account, 'There is no stack Nope in this region. … --stack or --region.'],
  [
    '--stack Else',
    account,
    'The stack Else has no output PlantsTableName. … choose another with --stack.',
  ],
  [
    '--stack Forbidden',
    account,
    'AWS denied access (User: arn:u is not authorized …). Choose other credentials with --profile.',
  ],
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
  ['--stack A', {}, 'No AWS region given. Use --region.'],
  ['--stack A', noNetwork, 'AWS cannot be reached (…). Check the network and --region.'],
])('list %s with the variables %j fails with one line: %s', async (options, variables, line) => {
  const env = { ...deployed, ...variables };
  const { code, stdout, stderr } =
    variables === noNetwork
      ? await tokenProcess(['list', ...options.split(' ')], { env })
      : await runHere(tokenProgram, `list ${options}`, { env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^error: ${line.split('…').map(RegExp.escape).join('.*')}\n$`));
});

function tokenProcess(args: string[], surroundings: object = {}) {
  return runProcess(process.execPath, [join(root, 'bin', 'token.ts'), ...args], surroundings);
}

const npmStart = temporaryFolder();
const data = join(npmStart, '.plant-store');
const origin = await serve(({ url }, response) =>
  response.end(url === '/instance' ? 'announced' : ''),
);
const running = {
  instance: 'announced',
  processId: process.pid,
  baseUrl: `${origin}/v1`,
  dynamodbEndpoint: endpoint,
};

test('an announced npm start is found, unless its address does not respond or is another’s', async () => {
  mkdirSync(data);
  expect(await findRunning(data)).toBeUndefined();
  announce(data, { ...running, baseUrl: 'http://127.0.0.1:1/v1' });
  expect(await findRunning(data)).toBeUndefined();
  announce(data, { ...running, instance: 'another' });
  expect(await findRunning(data)).toBeUndefined();
  announce(data, running);
  expect(await findRunning(data)).toEqual(running);
});

testOnPosix('files have no modes there')('only its user can read the announcement', () => {
  expect(statSync(join(data, 'running.json')).mode & 0o777).toBe(0o600);
});

test('--localhost uses the database of an announced npm start', async () => {
  process.chdir(npmStart);
  const { stdout } = await runHere(tokenProgram, 'issue --owner found --localhost');
  process.chdir(root);
  const record = findRecord(database, tableIds.accessTokens, parseTokenId(stdout.trim()) ?? '');
  expect(await record).toMatchObject({ owner: 'found' });
});

test('without a running npm start, --localhost fails with one line', async () => {
  const endpoint = 'http://localhost:1';
  const message =
    `error: No database responds at ${endpoint}. Start it with "npm start", or choose another ` +
    'with --dynamodb-endpoint.\n';
  expect(await tokenProcess(['list', '--dynamodb-endpoint', endpoint])).toEqual({
    code: 1,
    stdout: '',
    stderr: message,
  });
});

/** Starts a server that always sends this response. Returns its URL. */
const respondWith = (status: number, body: string) =>
  serve((_, response) => response.writeHead(status).end(body));

test('a server that is not a database fails with one line', async () => {
  const endpoint = await respondWith(403, '{"message":"Forbidden"}');
  const { code, stderr } = await runHere(tokenProgram, `list --dynamodb-endpoint ${endpoint}`);
  expect(code).toBe(1);
  const line = `error: The server at ${endpoint} is not the database of an "npm start"`;
  expect(stderr).toMatch(
    new RegExp(`^${line} \\(.*\\)\\. Choose another with --dynamodb-endpoint\\.\n$`),
  );
});

test.each(['issue --owner ann', 'list', 'revoke Zk3v9QeXb2Lr'])(
  '%s fails if the database returns no JSON object',
  async (command) => {
    const options = `--dynamodb-endpoint ${await respondWith(200, '')}`;
    const { code, stdout, stderr } = await runHere(tokenProgram, `${command} ${options}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('The response of DynamoDB is not a JSON object.');
  },
);

/** Every command that reads or changes a table. */
const commands = [
  { program: tokenProgram, line: 'issue --owner alice' },
  { program: tokenProgram, line: 'list' },
  { program: tokenProgram, line: 'revoke Zk3v9QeXb2Lr' },
  { program: tokenProgram, line: 'rotate Zk3v9QeXb2Lr' },
  { program: tokenProgram, line: 'list --region eu-central-1 --profile work' },
  { program: plantsProgram, line: 'export - --owner alice' },
  { program: plantsProgram, line: 'import - --owner alice' },
  { program: plantsProgram, line: 'erase --owner alice' },
];

// The account in the environment uses this server for both services.
let calls = 0;
const counter = await serve((_, response) => {
  calls += 1;
  response.writeHead(500).end();
});

test.each(commands)('$line without a target sends no request and fails', async (command) => {
  const env = { ...account, AWS_ENDPOINT_URL: counter };
  const line =
    'error: No target given. Use --localhost for the running "npm start", or --stack PlantStore ' +
    'for the deployed stack of that name.\n';
  const ended = await runHere(command.program, command.line, { env });
  expect(ended).toEqual({ code: 1, stdout: '', stderr: line });
  expect(calls).toBe(0);
});
