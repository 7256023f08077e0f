import { globSync, readFileSync } from 'node:fs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { tokenProgram } from '../../bin/token.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { accessTokenPattern } from '../../functions/shared/token-form.ts';
import { issueToken } from '../../lib/tokens/tokens.ts';
import { readPage } from '../docs/page.ts';
import { serve } from '../support/http/servers.ts';
import { account, startDeployedStack } from '../support/programs/deployed-stack.ts';
import { emptyTable, failure } from '../support/programs/printed.ts';
import { runHere } from '../support/programs/run.ts';
import { targetCommands } from '../support/programs/target-commands.ts';

const { env: deployed, endpoint, database, table } = await startDeployedStack();
const newToken = { owner: 'ann', scopes: allScopes, label: '', lifetime: 'never' } as const;

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

test.each([
  { command: 'list', status: 403, body: '{"message":"Forbidden"}', response: 'Unknown: Forbidden' },
  { command: 'issue --owner ann', status: 200, body: '', response: '200 from Caddy' },
  { command: 'list', status: 404, body: '<h1>Not Found</h1>', response: '404 from Caddy' },
])('$command fails if another server responds with $status and "$body"', async (row) => {
  const endpoint = await serve((_, response) =>
    response.writeHead(row.status, { server: 'Caddy' }).end(row.body),
  );
  const ended = await runHere(tokenProgram, `${row.command} --dynamodb-endpoint ${endpoint}`);
  expect(ended).toEqual(
    failure(
      `error: The server at ${endpoint} is not the database of an "npm start" (${row.response}). Name another with --dynamodb-endpoint.`,
    ),
  );
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
    expect(await runHere(command.program, command.line, { env })).toEqual(
      failure(
        'error: No target given. Use --localhost for the running "npm start", or --stack PlantStore for the deployed stack of that name.',
      ),
    );
    expect(calls).toBe(0);
  },
);
