import {
  BatchGetItemCommand,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createTables } from '../../lib/database/create-tables.ts';
import { localClient } from '../../lib/database/database-client.ts';
import type { FunctionCall } from '../../lib/database/database-front.ts';
import type { Database } from '../../lib/database/embedded-database.ts';
import type { Statement } from '../../lib/emulator/policy-evaluation.ts';
import type { Template } from '../../lib/emulator/template/template.ts';
import { finallyDo } from '../support/cleanup.ts';
import { openDatabase } from '../support/database/open-database.ts';

const arn = (table: string) => `arn:aws:dynamodb:us-east-1:000000000000:table/${table}`;
const table = {
  AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' as const }],
  KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' as const }],
};

/** Returns a template with two tables and one function, whose role has these statements. */
function templateWith(...statements: Statement[]): Template {
  const resources = {
    'AWS::DynamoDB::GlobalTable': { Apples: table, Pears: table },
    'AWS::Lambda::Function': { Picker: { Role: 'arn:aws:iam::000000000000:role/PickersRole' } },
    'AWS::IAM::Role': { PickersRole: {}, OthersRole: {} },
    'AWS::IAM::Policy': {
      Policy: { Roles: ['PickersRole'], PolicyDocument: { Statement: statements } },
      Others: {
        Roles: ['OthersRole'],
        PolicyDocument: { Statement: { Effect: 'Allow', Action: '*', Resource: '*' } },
      },
    },
  };
  const of = (type: keyof typeof resources) => new Map(Object.entries(resources[type]));
  return { of } as unknown as Template;
}
type Grant = (Action: Statement['Action'], Resource: Statement['Resource']) => Statement;
const allow: Grant = (Action, Resource) => ({ Effect: 'Allow', Action, Resource });
const deny: Grant = (Action, Resource) => ({ Effect: 'Deny', Action, Resource });

let database: Database;
const calls: FunctionCall[] = [];
const clientOf = (accessKeyId: string) => {
  const credentials = { accessKeyId, secretAccessKey: 'local' };
  const client = localClient(database.endpoint, { credentials, maxAttempts: 1 });
  finallyDo(() => client.destroy());
  return client;
};
let picker: ReturnType<typeof localClient>;
beforeAll(async () => {
  database = await openDatabase({ onCall: (call) => calls.push(call) });
  await createTables(templateWith(), database.endpoint);
  picker = clientOf('Picker');
});
beforeEach(() => void calls.splice(0));

const get = (TableName = 'Apples') =>
  new GetItemCommand({ TableName, Key: { key: { S: 'a' } }, ConsistentRead: true });
const put = (size: number, condition?: string) =>
  new PutItemCommand({
    TableName: 'Apples',
    Item: { key: { S: 'a' }, text: { S: 'x'.repeat(size) } },
    ...(condition && { ConditionExpression: condition }),
  });

describe('a function may do what its role allows', () => {
  const all = allow('dynamodb:*', '*');
  test.each<[string, Statement[], boolean]>([
    ['nothing', [], false],
    ['the action on the table', [allow('dynamodb:GetItem', arn('Apples'))], true],
    ['the action in another case', [allow('DynamoDB:getitem', arn('Apples'))], true],
    ['several', [allow(['a:B', 'dynamodb:GetItem'], ['x', arn('Apples')])], true],
    ['* for the action', [allow('dynamodb:Get*', arn('Apples'))], true],
    ['? for a character', [allow('dynamodb:?etItem', arn('Apple?'))], true],
    ['* for the table', [allow('dynamodb:GetItem', arn('*'))], true],
    ['everything', [allow('*', '*')], true],
    ['another action', [allow('dynamodb:PutItem', arn('Apples'))], false],
    ['another table', [allow('dynamodb:GetItem', arn('Pears'))], false],
    ['a table in another case', [allow('dynamodb:GetItem', arn('apples'))], false],
    ['a longer name', [allow('dynamodb:GetItem', arn('Apples2'))], false],
    ['an index of the table', [allow('*', `${arn('Apples')}/index/*`)], false],
    ['a denial first', [deny('*', arn('Apples')), all], false],
    ['a denial last', [all, deny('dynamodb:G*', '*')], false],
    ['a denial of another table', [all, deny('*', arn('Pears'))], true],
  ])('%s', async (_, statements, isAllowed) => {
    database.enforce(templateWith(...statements));
    const answer = picker.send(get());
    await (isAllowed
      ? expect(answer).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } })
      : expect(answer).rejects.toMatchObject({ name: 'AccessDeniedException' }));
  });

  test('in a batch, on every table of it', async () => {
    const Keys = [{ key: { S: 'a' } }];
    const batch = new BatchGetItemCommand({ RequestItems: { Apples: { Keys }, Pears: { Keys } } });
    database.enforce(templateWith(allow('dynamodb:BatchGetItem', arn('Apples'))));
    await expect(picker.send(batch)).rejects.toThrow(`on resource: ${arn('Pears')} because`);
    database.enforce(templateWith(allow('dynamodb:BatchGetItem', arn('*'))));
    await expect(picker.send(batch)).resolves.toMatchObject({ Responses: {} });
  });

  test('a query of an index needs permission for the index', async () => {
    const query = new QueryCommand({
      TableName: 'Apples',
      IndexName: 'ByColour',
      KeyConditionExpression: 'colour = :c',
      ExpressionAttributeValues: { ':c': { S: 'red' } },
    });
    database.enforce(templateWith(allow('dynamodb:Query', arn('Apples'))));
    await expect(picker.send(query)).rejects.toThrow(
      `on resource: ${arn('Apples')}/index/ByColour because`,
    );
    database.enforce(templateWith(allow('dynamodb:Query', arn('Apples/index/*'))));
    // The engine gets it, and has no such index.
    await expect(picker.send(query)).rejects.toMatchObject({ name: 'ValidationException' });
  });

  test('a command without a table needs permission for all resources', async () => {
    database.enforce(templateWith(allow('dynamodb:ListTables', arn('*'))));
    await expect(picker.send(new ListTablesCommand({}))).rejects.toThrow(
      'dynamodb:ListTables on resource: * because',
    );
    database.enforce(templateWith(allow('dynamodb:ListTables', '*')));
    await expect(picker.send(new ListTablesCommand({}))).resolves.toMatchObject({ TableNames: {} });
  });
});

test('a refusal is in the words of AWS', async () => {
  database.enforce(templateWith());
  const user = 'arn:aws:sts::000000000000:assumed-role/PickersRole/Picker';
  const denied = `dynamodb:GetItem on resource: ${arn('Apples')}`;
  const reason = `User: ${user} is not authorized to perform: ${denied}`;
  await expect(picker.send(get())).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: `${reason} because no identity-based policy allows the dynamodb:GetItem action`,
    $metadata: { httpStatusCode: 400, attempts: 1 },
  });
  database.enforce(templateWith(deny('*', '*')));
  await expect(picker.send(get())).rejects.toMatchObject({
    message: `${reason} with an explicit deny in an identity-based policy`,
  });
});

test('a function of an earlier template keeps its role; another key may do all', async () => {
  database.enforce(templateWith());
  const { of } = templateWith();
  const none = (type: never) => (type === 'AWS::Lambda::Function' ? new Map() : of(type));
  database.enforce({ of: none } as unknown as Template);
  await expect(picker.send(get())).rejects.toMatchObject({ name: 'AccessDeniedException' });
  for (const key of ['local', 'PickersRole', 'picker'])
    await expect(clientOf(key).send(get())).resolves.toBeDefined();
});

test('a body that is not JSON does not reach the engine', async () => {
  database.enforce(templateWith(allow('*', '*')));
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
  const { of } = templateWith();
  const noRoles = (type: never) => (type === 'AWS::IAM::Role' ? new Map() : of(type));
  expect(() => database.enforce({ of: noRoles } as unknown as Template)).toThrow(
    'Picker.Role: the template has no role arn:aws:iam::000000000000:role/PickersRole.',
  );
});

test.each([
  [true, 1],
  [false, 0.5],
  [undefined, 0.5],
])('a query that finds nothing, with ConsistentRead %s, costs %d read units', async (is, reads) => {
  database.enforce(templateWith(allow('*', arn('Apples'))));
  await picker.send(
    new QueryCommand({
      TableName: 'Apples',
      KeyConditionExpression: '#key = :k',
      ExpressionAttributeNames: { '#key': 'key' },
      ExpressionAttributeValues: { ':k': { S: 'none' } },
      ConsistentRead: is,
    }),
  );
  expect(calls).toMatchObject([{ action: 'dynamodb:Query', units: { reads, writes: 0 } }]);
});

test('the calls of a function are counted with the units that DynamoDB charges', async () => {
  database.enforce(templateWith(allow('*', arn('Apples'))));
  await picker.send(put(2000));
  await picker.send(put(10, 'attribute_exists(colour)')).catch(() => {});
  await picker.send(put(10, 'attribute_not_exists(colour)'));
  await picker.send(get());
  await picker.send(get('Pears')).catch(() => {});
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
  ]);
});
