import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { issueToken, revokeToken } from '../../bin/token/administration.ts';
import { environment } from '../../functions/contract/environment-variables.ts';
import { allScopes } from '../../functions/contract/scopes.ts';
import { bundle } from '../../lib/bundle.ts';
import {
  type ExecutionEnvironment,
  startExecutionEnvironment,
} from '../../lib/emulator/lambda/execution-environment.ts';
import { forge } from './forge.ts';
import { startTokensTable } from './tokens-table.ts';

// The authorizer's own bundle, with a database that records requests and can fail.

type Sent = { operation: string; input: Record<string, unknown> };
const bundles = mkdtempSync(join(tmpdir(), 'plant-store-'));
let tokens: Awaited<ReturnType<typeof startTokensTable>>;
let database: Server;
let authorizer: ExecutionEnvironment;
let sent: Sent[] = [];
let log: string[] = [];
let fail: ((response: ServerResponse) => void) | undefined;

beforeAll(async () => {
  tokens = await startTokensTable('Tokens');
  database = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    sent.push({
      operation: `${request.headers['x-amz-target']}`.split('.')[1] ?? '',
      input: JSON.parse(`${body}`),
    });
    if (fail) return fail(response);
    const answer = await fetch(tokens.endpoint, {
      method: 'POST',
      headers: request.headers as Record<string, string>,
      body,
    });
    response
      .writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' })
      .end(await answer.bytes());
  });
  await new Promise<void>((resolve) => database.listen(0, '127.0.0.1', resolve));
  bundle(bundles);
  authorizer = startExecutionEnvironment(
    {
      FunctionName: 'Authorizer',
      folder: join(bundles, 'authorize'),
      Code: { S3Key: '' },
      Handler: 'start.handler',
      MemorySize: 512,
      Timeout: 10,
      Environment: {
        Variables: {
          [environment.accessTokensTable]: tokens.name,
          [environment.dynamodbEndpoint]: '',
        },
      },
      LoggingConfig: { LogFormat: 'JSON' },
    },
    `http://127.0.0.1:${(database.address() as AddressInfo).port}`,
    (_, line) => log.push(line),
  );
});
afterEach(() => {
  sent = [];
  log = [];
  fail = undefined;
});
afterAll(async () => {
  await authorizer?.stop();
  database?.closeAllConnections();
  database?.close();
  await tokens?.stop();
  rmSync(bundles, { recursive: true });
});

const methodArn = 'arn:aws:execute-api:eu-central-1:123456789012:abc123/v1/GET/plants';
const judge = (authorizationToken: unknown) =>
  authorizer.invoke(JSON.stringify({ type: 'TOKEN', authorizationToken, methodArn }));
const issue = () =>
  issueToken(tokens.database, tokens.name, {
    owner: 'ann',
    scopes: allScopes,
    label: '',
    expires: undefined,
  });
const unauthorized = { error: { errorType: 'Error', errorMessage: 'Unauthorized' } };
const codes = () => log.flatMap((line) => JSON.parse(line).message?.code ?? []);

test('the authorizer does one strongly consistent read and writes nothing', async () => {
  const { id, token } = await issue();
  const outcome = await judge(`Bearer ${token}`);
  expect(outcome).toHaveProperty('payload', expect.stringContaining('"owner":"ann"'));
  expect(sent).toEqual([
    {
      operation: 'GetItem',
      input: { TableName: 'Tokens', Key: { id: { S: id } }, ConsistentRead: true },
    },
  ]);
});

test('a token works as soon as it is issued, and stops as soon as it is revoked', async () => {
  const { id, token } = await issue();
  expect(await judge(`Bearer ${token}`)).toHaveProperty('payload');
  await revokeToken(tokens.database, tokens.name, id);
  expect(await judge(`Bearer ${token}`)).toEqual(unauthorized);
});

test('an unknown id costs the same read as a wrong secret, and gets the same answer', async () => {
  const { id } = await issue();
  const wrong = await judge(`Bearer ${forge(id)}`);
  const [first, ...more] = sent;
  sent = [];
  const unknown = await judge(`Bearer ${forge()}`);
  expect(unknown).toEqual(wrong);
  expect(unknown).toEqual(unauthorized);
  expect(more).toEqual([]);
  expect(sent).toEqual([
    { ...first, input: { ...first?.input, Key: { id: { S: expect.stringMatching(/^\w{12}$/) } } } },
  ]);
  expect(codes()).toEqual(['TOKEN_REFUSED', 'TOKEN_REFUSED']);
});

test.each([
  undefined,
  null,
  7,
  ['Bearer', 'TOKEN'],
  '',
  ' ',
  'Bearer',
  'Bearer ',
  'TOKEN',
  'BearerTOKEN',
  'Bearer\tTOKEN',
  ' Bearer TOKEN',
  'Bearer TOKEN ',
  'Bearer TOKEN\n',
  'Bearer TOKEN\nBearer TOKEN',
  'Bearer TOKEN,Bearer TOKEN',
  'Bearer TOKEN TOKEN',
  'Bearer "TOKEN"',
  'Bearer token=TOKEN',
  'Bearer Bearer TOKEN',
  'Bearer TOKEN0',
  'Basic TOKEN',
  'Token TOKEN',
  'Вearer TOKEN', // The first letter is Cyrillic.
])('the authorizer refuses %j without a look-up', async (shape) => {
  const { token } = await issue();
  const authorizationToken = typeof shape === 'string' ? shape.replaceAll('TOKEN', token) : shape;
  expect(await judge(authorizationToken)).toEqual(unauthorized);
  expect(sent).toEqual([]);
  expect(codes()).toEqual(['TOKEN_REFUSED']);
});

test.each<[string, (response: ServerResponse) => void]>([
  ['answers 500', (response) => void response.writeHead(500).end('{}')],
  ['closes the connection', (response) => void response.destroy()],
  [
    'lacks the table',
    (response) =>
      void response.writeHead(400).end('{"__type":"x#ResourceNotFoundException","message":"gone"}'),
  ],
  [
    'says Unauthorized',
    (response) => void response.writeHead(401).end('{"message":"Unauthorized"}'),
  ],
  ['answers HTML', (response) => void response.writeHead(200).end('<html>')],
  [
    'has an invalid record',
    (response) => void response.writeHead(200).end('{"Item":{"id":{"S":"abcdefghijkl"}}}'),
  ],
])('if the database %s, the authorizer fails without saying Unauthorized', async (_, failing) => {
  const { token } = await issue();
  fail = failing;
  const outcome = await judge(`Bearer ${token}`);
  expect(outcome).toEqual({
    error: { errorType: 'Error', errorMessage: 'The access token could not be judged.' },
  });
  expect(codes()).toEqual(['AUTHORIZER_FAILED']);
  expect(log.join()).not.toContain(token.slice(17, 38));
});
