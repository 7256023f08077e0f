import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { localDocumentClient } from '../../../lib/offline/database/database-client.ts';
import type { FunctionCall } from '../../../lib/offline/database/database-front.ts';
import type { Database } from '../../../lib/offline/database/embedded-database.ts';
import type { Statement } from '../../../lib/offline/policy-evaluation.ts';
import { finallyDo } from '../../support/cleanup.ts';
import {
  createTablesOf,
  openDatabase,
  tableOf,
  templateWith,
} from '../../support/database/open-database.ts';
import { send } from '../../support/http/http-client.ts';

const arn = (table: string) => `arn:aws:dynamodb:us-east-1:000000000000:table/${table}`;
type Grant = (Action: Statement['Action'], Resource: Statement['Resource']) => Statement;
const allow: Grant = (Action, Resource) => ({ Effect: 'Allow', Action, Resource });
const deny: Grant = (Action, Resource) => ({ Effect: 'Deny', Action, Resource });

const tables = { Apples: tableOf('key'), Pears: tableOf('key') };
const Role = 'arn:aws:iam::000000000000:role/PickersRole';
const picking = {
  'AWS::Lambda::Function': { Picker: { Role } },
  'AWS::IAM::Role': { PickersRole: {}, OthersRole: {} },
};
/** Enforces a template with one function, whose role has these statements. */
function enforce(...Statement: Statement[]): void {
  const policies = {
    Policy: { Roles: ['PickersRole'], PolicyDocument: { Statement } },
    Others: { Roles: ['OthersRole'], PolicyDocument: { Statement: allow('*', '*') } },
  };
  database.enforce(templateWith({ ...picking, 'AWS::IAM::Policy': policies }));
}

let database: Database;
const calls: FunctionCall[] = [];
const clientOf = (accessKeyId: string) => {
  const credentials = { accessKeyId, secretAccessKey: 'local' };
  const client = localDocumentClient(database.endpoint, { credentials, maxAttempts: 1 });
  finallyDo(() => client.destroy());
  return client;
};
let picker: ReturnType<typeof clientOf>;
beforeAll(async () => {
  database = await openDatabase({ onCall: (call) => calls.push(call) });
  await createTablesOf(tables, database);
  picker = clientOf('Picker');
});
beforeEach(() => void calls.splice(0));

const get = (TableName = 'Apples') =>
  new GetCommand({ TableName, Key: { key: 'a' }, ConsistentRead: true });
const put = (size: number, condition?: string) =>
  new PutCommand({
    TableName: 'Apples',
    Item: { key: 'a', text: 'x'.repeat(size) },
    ...(condition && { ConditionExpression: condition }),
  });
const query = (more: Partial<QueryCommandInput> = {}) =>
  new QueryCommand({
    TableName: 'Apples',
    KeyConditionExpression: '#key = :k',
    ExpressionAttributeNames: { '#key': 'key' },
    ExpressionAttributeValues: { ':k': 'none' },
    ...more,
  });

/** Each with the resource that the function lacks permission for, or '' if it may. */
type Row = [what: string, statements: Statement[], lacks: string, command?: object];
describe('a function may do what its role allows', () => {
  const Keys = [{ key: 'a' }];
  const batch = new BatchGetCommand({ RequestItems: { Apples: { Keys }, Pears: { Keys } } });
  const ofIndex = query({ IndexName: 'ByColour' });
  const list = new ListTablesCommand({});
  const all = allow('dynamodb:*', '*');
  test.each<Row>([
    ['nothing', [], arn('Apples')],
    ['the action on the table', [allow('dynamodb:GetItem', arn('Apples'))], ''],
    ['the action in another case', [allow('DynamoDB:getitem', arn('Apples'))], ''],
    ['several', [allow(['a:B', 'dynamodb:GetItem'], ['x', arn('Apples')])], ''],
    ['* for the action', [allow('dynamodb:Get*', arn('Apples'))], ''],
    ['? for a character', [allow('dynamodb:?etItem', arn('Apple?'))], ''],
    ['* for the table', [allow('dynamodb:GetItem', arn('*'))], ''],
    ['everything', [allow('*', '*')], ''],
    ['another action', [allow('dynamodb:PutItem', arn('Apples'))], arn('Apples')],
    ['another table', [allow('dynamodb:GetItem', arn('Pears'))], arn('Apples')],
    ['a table in another case', [allow('dynamodb:GetItem', arn('apples'))], arn('Apples')],
    ['a longer name', [allow('dynamodb:GetItem', arn('Apples2'))], arn('Apples')],
    ['an index of the table', [allow('*', `${arn('Apples')}/index/*`)], arn('Apples')],
    ['a denial first', [deny('*', arn('Apples')), all], arn('Apples')],
    ['a denial last', [all, deny('dynamodb:G*', '*')], arn('Apples')],
    ['a denial of another table', [all, deny('*', arn('Pears'))], ''],
    ['one table of a batch', [allow('dynamodb:BatchGetItem', arn('Apples'))], arn('Pears'), batch],
    ['every table of a batch', [allow('dynamodb:BatchGetItem', arn('*'))], '', batch],
    ['no index', [allow('dynamodb:Query', arn('Apples'))], arn('Apples/index/ByColour'), ofIndex],
    ['every index', [allow('dynamodb:Query', arn('Apples/index/*'))], '', ofIndex],
    ['ListTables on every table', [allow('dynamodb:ListTables', arn('*'))], '*', list],
    ['ListTables on all resources', [allow('dynamodb:ListTables', '*')], '', list],
  ])('%s', async (_, statements, lacks, command = get()) => {
    enforce(...statements);
    const [{ reason }] = (await Promise.allSettled([picker.send(command as never)])) as [
      PromiseRejectedResult,
    ];
    const [, resource = ''] = /^AccessDenied.* on resource: (\S+) /.exec(reason) ?? [];
    expect(resource).toBe(lacks);
  });
});

test('a refusal is in the words of AWS', async () => {
  enforce();
  const user = 'arn:aws:sts::000000000000:assumed-role/PickersRole/Picker';
  const denied = `dynamodb:GetItem on resource: ${arn('Apples')}`;
  const reason = `User: ${user} is not authorized to perform: ${denied}`;
  await expect(picker.send(get())).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: `${reason} because no identity-based policy allows the dynamodb:GetItem action`,
    $metadata: { httpStatusCode: 400, attempts: 1 },
  });
  enforce(deny('*', '*'));
  await expect(picker.send(get())).rejects.toMatchObject({
    message: `${reason} with an explicit deny in an identity-based policy`,
  });
});

test('a function of an earlier template keeps its role; another key may do all', async () => {
  enforce();
  database.enforce(templateWith({}));
  await expect(picker.send(get())).rejects.toMatchObject({ name: 'AccessDeniedException' });
  for (const key of ['local', 'PickersRole', 'picker'])
    await expect(clientOf(key).send(get())).resolves.toBeDefined();
});

test('a body that is not JSON does not reach the engine', async () => {
  enforce(allow('*', '*'));
  const response = await fetch(database.endpoint, {
    method: 'POST',
    headers: {
      Authorization: 'AWS4-HMAC-SHA256 Credential=Picker/1/us-east-1/dynamodb/aws4_request',
      'X-Amz-Target': 'DynamoDB_20120810.GetItem',
    },
    body: 'no JSON',
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    __type: 'com.amazon.coral.service#SerializationException',
  });
});

test('a role that the template does not define is an error that names the function', () => {
  const { 'AWS::IAM::Role': _, ...noRoles } = picking;
  expect(() => database.enforce(templateWith(noRoles))).toThrow(
    `Picker.Role: the template has no role ${Role}.`,
  );
});

test('a web page is refused', async () => {
  for (const method of ['OPTIONS', 'POST', 'GET']) {
    const headers = ['Origin', 'https://example.com'];
    const answer = await send(database.endpoint, { method, path: '/', headers });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([
      403,
      undefined,
    ]);
  }
});

test('the calls of a function are counted with the units that DynamoDB charges', async () => {
  enforce(allow('*', arn('Apples')));
  await picker.send(put(2000));
  await picker.send(put(10, 'attribute_exists(colour)')).catch(() => {});
  await picker.send(put(10, 'attribute_not_exists(colour)'));
  await picker.send(get());
  await picker.send(get('Pears')).catch(() => {});
  for (const ConsistentRead of [true, false, undefined])
    await picker.send(query({ ConsistentRead }));
  await clientOf('local').send(get());
  const call = (action: string, reads: number, writes: number, denied?: unknown) => ({
    functionName: 'Picker',
    action: `dynamodb:${action}`,
    units: { reads, writes },
    denied,
  });
  expect(calls).toMatchObject([
    call('PutItem', 0, 2),
    call('PutItem', 0, 1),
    call('PutItem', 0, 2),
    call('GetItem', 1, 0),
    call('GetItem', 0, 0, expect.stringContaining('is not authorized')),
    // A query is charged although it finds nothing.
    ...[1, 0.5, 0.5].map((reads) => call('Query', reads, 0)),
  ]);
});
