import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { issueToken } from '../../bin/administration/access-tokens.ts';
import { environment } from '../../functions/shared/environment-variables.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableVariables } from '../../functions/shared/table-schema.ts';
import { bundle } from '../../lib/bundle.ts';
import { startExecutionEnvironment } from '../../lib/emulator/lambda/execution-environment.ts';
import { listen } from '../../lib/emulator/listen.ts';
import { forge } from '../support/access-tokens/forge.ts';
import { badShapes } from '../support/access-tokens/shapes.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { startTokensTable } from '../support/database/tokens-table.ts';

// The authorizer's own bundle, with a database that records requests and can fail.

const bundles = temporaryFolder();
bundle(bundles);
const tokens = await startTokensTable('Tokens');
finallyDo(tokens.stop);
let sent: { operation: string; input: Record<string, unknown> }[] = [];
let log: string[] = [];
let fail: ((response: ServerResponse) => void) | undefined;

const database = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  const [, operation = ''] = `${request.headers['x-amz-target']}`.split('.');
  sent.push({ operation, input: JSON.parse(`${body}`) });
  if (fail) return fail(response);
  const headers = request.headers as Record<string, string>;
  const answer = await fetch(tokens.endpoint, { method: 'POST', headers, body });
  response
    .writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' })
    .end(await answer.bytes());
});
const port = await listen(database, 0, '127.0.0.1');
finallyDo(() => database.close().closeAllConnections());
const authorizer = startExecutionEnvironment(
  {
    FunctionName: 'Authorizer',
    folder: join(bundles, 'authorize'),
    Code: { S3Key: '' },
    Handler: 'start.handler',
    MemorySize: 512,
    Timeout: 10,
    Environment: {
      Variables: {
        [tableVariables.accessTokens]: tokens.name,
        [environment.dynamodbEndpoint]: '',
      },
    },
    LoggingConfig: { LogFormat: 'JSON' },
  },
  `http://127.0.0.1:${port}`,
  (_, line) => log.push(line),
);
finallyDo(() => authorizer.stop());
afterEach(() => {
  sent = [];
  log = [];
  fail = undefined;
});

const methodArn = 'arn:aws:execute-api:eu-central-1:123456789012:abc123/v1/GET/plants';
const judge = (authorizationToken: unknown) =>
  authorizer.invoke(JSON.stringify({ type: 'TOKEN', authorizationToken, methodArn }));
const grant = { owner: 'ann', scopes: allScopes, label: '', expires: undefined };
const issue = () => issueToken(tokens.database, tokens.name, grant);
const unauthorized = { error: { errorType: 'Error', errorMessage: 'Unauthorized' } };
const codes = () => log.flatMap((line) => JSON.parse(line).message?.code ?? []);

test('the authorizer does one strongly consistent read and writes nothing', async () => {
  const { id, token } = await issue();
  const outcome = await judge(`Bearer ${token}`);
  expect(outcome).toHaveProperty('payload', expect.stringContaining('"owner":"ann"'));
  const input = { TableName: 'Tokens', Key: { id: { S: id } }, ConsistentRead: true };
  expect(sent).toEqual([{ operation: 'GetItem', input }]);
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
  const Key = { id: { S: expect.stringMatching(/^\w{12}$/) } };
  expect(sent).toEqual([{ ...first, input: { ...first?.input, Key } }]);
  expect(codes()).toEqual(['TOKEN_REFUSED', 'TOKEN_REFUSED']);
});

test.each([
  ...[undefined, null, 7, ['Bearer', 'TOKEN'], ...badShapes],
  // Blanks that HTTP would drop, and a Cyrillic letter.
  ...[
    ' Bearer TOKEN',
    'Bearer TOKEN ',
    'Bearer TOKEN\n',
    'Bearer TOKEN\nBearer TOKEN',
    'Вearer TOKEN',
  ],
])('the authorizer refuses %j without a look-up', async (shape) => {
  const { token } = await issue();
  const authorizationToken = typeof shape === 'string' ? shape.replaceAll('TOKEN', token) : shape;
  expect(await judge(authorizationToken)).toEqual(unauthorized);
  expect(sent).toEqual([]);
  expect(codes()).toEqual(['TOKEN_REFUSED']);
});

const answering = (status: number, body: string) => (response: ServerResponse) => {
  response.writeHead(status).end(body);
};
test.each<[string, (response: ServerResponse) => void]>([
  ['answers 500', answering(500, '{}')],
  ['closes the connection', (response) => void response.destroy()],
  ['lacks the table', answering(400, '{"__type":"x#ResourceNotFoundException","message":"gone"}')],
  ['says Unauthorized', answering(401, '{"message":"Unauthorized"}')],
  ['answers HTML', answering(200, '<html>')],
  ['has an invalid record', answering(200, '{"Item":{"id":{"S":"abcdefghijkl"}}}')],
])('if the database %s, the authorizer fails without saying Unauthorized', async (_, failing) => {
  const { token } = await issue();
  fail = failing;
  const outcome = await judge(`Bearer ${token}`);
  const error = { errorType: 'Error', errorMessage: 'The access token could not be judged.' };
  expect(outcome).toEqual({ error });
  expect(codes()).toEqual(['AUTHORIZER_FAILED']);
  expect(log.join()).not.toContain(token.slice(17, 38));
});
