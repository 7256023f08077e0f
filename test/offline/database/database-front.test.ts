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
beforeEach(() => {
  calls.length = 0;
});

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

describe('a function may do what its role allows', () => {
  const Keys = [{ key: 'a' }];
  const batch = new BatchGetCommand({ RequestItems: { Apples: { Keys }, Pears: { Keys } } });
  const ofIndex = query({ IndexName: 'ByColour' });
  const list = new ListTablesCommand({});
  const all = allow('dynamodb:*', '*');
  const listAll = allow('dynamodb:ListTables', '*');
  const queryApples = allow('dynamodb:Query', arn('Apples'));
  const queryIndexes = allow('dynamodb:Query', arn('Apples/index/*'));

  interface Row {
    title: string;
    role: Statement[];
    /** What is asked, if it is not an apple. */
    command?: object;
  }
  test.each<Row>([
    { title: 'the action on the table', role: [allow('dynamodb:GetItem', arn('Apples'))] },
    { title: 'the action in another case', role: [allow('DynamoDB:getitem', arn('Apples'))] },
    { title: 'several', role: [allow(['a:B', 'dynamodb:GetItem'], ['x', arn('Apples')])] },
    { title: '* for the action', role: [allow('dynamodb:Get*', arn('Apples'))] },
    { title: '? for a character', role: [allow('dynamodb:?etItem', arn('Apple?'))] },
    { title: '* for the table', role: [allow('dynamodb:GetItem', arn('*'))] },
    { title: 'everything', role: [allow('*', '*')] },
    { title: 'a denial of another table', role: [all, deny('*', arn('Pears'))] },
    {
      title: 'every table of a batch',
      role: [allow('dynamodb:BatchGetItem', arn('*'))],
      command: batch,
    },
    { title: 'every index', role: [queryIndexes], command: ofIndex },
    { title: 'ListTables on all resources', role: [listAll], command: list },
  ])('$title is enough', async ({ role, command = get() }) => {
    enforce(...role);
    expect(await refusedResource(command)).toBeUndefined();
  });

  test.each<Row & { lacks: string }>([
    { title: 'nothing', role: [], lacks: arn('Apples') },
    {
      title: 'another action',
      role: [allow('dynamodb:PutItem', arn('Apples'))],
      lacks: arn('Apples'),
    },
    {
      title: 'another table',
      role: [allow('dynamodb:GetItem', arn('Pears'))],
      lacks: arn('Apples'),
    },
    {
      title: 'a table in another case',
      role: [allow('dynamodb:GetItem', arn('apples'))],
      lacks: arn('Apples'),
    },
    {
      title: 'a longer name',
      role: [allow('dynamodb:GetItem', arn('Apples2'))],
      lacks: arn('Apples'),
    },
    {
      title: 'an index of the table',
      role: [allow('*', `${arn('Apples')}/index/*`)],
      lacks: arn('Apples'),
    },
    { title: 'a denial first', role: [deny('*', arn('Apples')), all], lacks: arn('Apples') },
    { title: 'a denial last', role: [all, deny('dynamodb:G*', '*')], lacks: arn('Apples') },
    {
      title: 'one table of a batch',
      role: [allow('dynamodb:BatchGetItem', arn('Apples'))],
      command: batch,
      lacks: arn('Pears'),
    },
    {
      title: 'no index',
      role: [queryApples],
      command: ofIndex,
      lacks: arn('Apples/index/ByColour'),
    },
    {
      title: 'ListTables on every table',
      role: [allow('dynamodb:ListTables', arn('*'))],
      command: list,
      lacks: '*',
    },
  ])('$title is refused', async ({ role, command = get(), lacks }) => {
    enforce(...role);
    expect(await refusedResource(command)).toBe(lacks);
  });
});

/** Returns the resource that the function lacks permission for, or undefined if it may. */
async function refusedResource(command: object): Promise<string | undefined> {
  try {
    await picker.send(command as never);
    return undefined;
  } catch (error) {
    return /^AccessDenied.* on resource: (\S+) /.exec(String(error))?.[1];
  }
}

const user = 'arn:aws:sts::000000000000:assumed-role/PickersRole/Picker';
const unauthorized =
  `User: ${user} is not authorized to perform: ` + `dynamodb:GetItem on resource: ${arn('Apples')}`;

test('what no policy allows is refused in the words of AWS', async () => {
  enforce();
  await expect(picker.send(get())).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: `${unauthorized} because no identity-based policy allows the dynamodb:GetItem action`,
    $metadata: { httpStatusCode: 400, attempts: 1 },
  });
});

test('what a policy denies is refused in the words of AWS', async () => {
  enforce(deny('*', '*'));
  await expect(picker.send(get())).rejects.toMatchObject({
    message: `${unauthorized} with an explicit deny in an identity-based policy`,
  });
});

test('a function of an earlier template keeps its role', async () => {
  enforce();
  database.enforce(templateWith({}));
  await expect(picker.send(get())).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

test.each(['local', 'PickersRole', 'picker'])(
  'an access key that is no function of the template may do all: %s',
  async (key) => {
    enforce();
    await expect(clientOf(key).send(get())).resolves.toBeDefined();
  },
);

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

test.each(['OPTIONS', 'POST', 'GET'])('a web page is refused: %s', async (method) => {
  const headers = ['Origin', 'https://example.com'];
  const answer = await send(database.endpoint, { method, path: '/', headers });
  expect(answer.status).toBe(403);
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
});

/** Returns the call of a function as it is told when it was allowed. */
const toldOf = (action: string, units: { reads: number; writes: number }) => ({
  functionName: 'Picker',
  action: `dynamodb:${action}`,
  units,
  denied: undefined,
});

test.each([
  {
    title: 'a write, for each kibibyte that was begun',
    command: put(2000),
    told: toldOf('PutItem', { reads: 0, writes: 2 }),
  },
  {
    title: 'a write over a larger item, for the size of that',
    before: put(2000),
    command: put(10, 'attribute_not_exists(colour)'),
    told: toldOf('PutItem', { reads: 0, writes: 2 }),
  },
  {
    title: 'a write whose condition fails, once',
    before: put(2000),
    command: put(10, 'attribute_exists(colour)'),
    told: toldOf('PutItem', { reads: 0, writes: 1 }),
  },
  {
    title: 'a consistent read, as one',
    command: get(),
    told: toldOf('GetItem', { reads: 1, writes: 0 }),
  },
  {
    title: 'a consistent query that finds nothing, as one',
    command: query({ ConsistentRead: true }),
    told: toldOf('Query', { reads: 1, writes: 0 }),
  },
  {
    title: 'an eventually consistent query that finds nothing, as a half',
    command: query({ ConsistentRead: false }),
    told: toldOf('Query', { reads: 0.5, writes: 0 }),
  },
  {
    title: 'a query of no stated consistency that finds nothing, as a half',
    command: query({ ConsistentRead: undefined }),
    told: toldOf('Query', { reads: 0.5, writes: 0 }),
  },
  {
    title: 'a read that is refused, as none',
    command: get('Pears'),
    told: {
      ...toldOf('GetItem', { reads: 0, writes: 0 }),
      denied: expect.stringContaining('is not authorized'),
    },
  },
])('a function is charged as by DynamoDB: $title', async ({ before = put(10), command, told }) => {
  enforce(allow('*', arn('Apples')));
  await clientOf('local').send(before);
  await picker.send(command as never).catch(() => {});
  expect(calls).toMatchObject([told]);
});

test('the calls of other access keys are not told', async () => {
  enforce(allow('*', arn('Apples')));
  await clientOf('local').send(get());
  expect(calls).toEqual([]);
});
