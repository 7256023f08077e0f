import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { ClassicLevel } from 'classic-level';
import { makeDocumentClient } from '../../functions/dynamodb/client.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { explainFileError, startDatabase } from '../../lib/offline/database.ts';
import { localClient } from '../../lib/offline/database-client.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { send } from '../support/http/http-client.ts';
import { serve } from '../support/http/servers.ts';
import { testOnPosix } from '../support/posix.ts';

const plant = { owner: 'alice', id: 7, name: 'Monstera', tag: '' };
const put = new PutCommand({ TableName: tableIds.plants, Item: plant });
const get = new GetCommand({ TableName: tableIds.plants, Key: { owner: 'alice', id: 7 } });

async function open(folder?: string) {
  const database = await startDatabase({ folder, port: 0 });
  const client = makeDocumentClient(localClient(database.endpoint));
  let stopped: Promise<void> | undefined;
  function stop(): Promise<void> {
    client.destroy();
    stopped ??= database.stop();
    return stopped;
  }
  // With a database left open, Jest would not exit.
  finallyDo(stop);
  return { ...database, client, stop };
}

test.each([
  ['memory', () => undefined],
  ['a folder', temporaryFolder],
])('a database in %s closes the iterator of each query', async (_, folder) => {
  const database = await open(folder());
  await database.client.send(put);
  const { prototype, close } = await iterators();
  const spy = jest.spyOn(prototype, 'close');
  await database.client.send(
    new QueryCommand({
      TableName: tableIds.plants,
      KeyConditionExpression: '#owner = :owner',
      ExpressionAttributeNames: { '#owner': 'owner' },
      ExpressionAttributeValues: { ':owner': 'alice' },
    }),
  );
  const closed = spy.mock.contexts.length;
  spy.mockRestore();
  expect(prototype.close).toBe(close);
  expect(closed).toBeGreaterThan(0);
});

/** Returns the class that the iterators of both databases extend. */
async function iterators() {
  const level = new ClassicLevel(temporaryFolder());
  let prototype = Object.getPrototypeOf(level.iterator());
  while (!Object.hasOwn(prototype, 'close')) {
    prototype = Object.getPrototypeOf(prototype);
  }
  await level.close();
  return { prototype, close: prototype.close };
}

/** Changes the description of a table in the files of a stopped database. */
async function changeTable(folder: string, name: string, change: object): Promise<void> {
  const level = new ClassicLevel<string, object>(join(folder, 'dynalite'), {
    valueEncoding: 'json',
  });
  const key = `table~${name}`;
  await level.put(key, { ...(await level.get(key)), ...change });
  await level.close();
}

test('an unfinished table is created again, and the others stay', async () => {
  const folder = temporaryFolder();
  const before = await open(folder);
  await before.client.send(put);
  await before.stop();
  await changeTable(folder, tableIds.accessTokens, { TableStatus: 'CREATING' });

  const after = await open(folder);
  const Item = { id: 'abcdefghijkl' };
  await after.client.send(new PutCommand({ TableName: tableIds.accessTokens, Item }));
  expect((await after.client.send(get)).Item).toMatchObject({ name: 'Monstera' });
});

const malformed: [operation: string, body: string][] = [
  ['PutItem', 'null'],
  ['ListTables', 'null'],
  ['PutItem', '{"TableName":"Plants","Item":{"owner":null}}'],
  ['BatchGetItem', '{"RequestItems":{"Plants":null}}'],
  [
    'DeleteItem',
    '{"TableName":"Plants","Key":{"owner":{"S":"a"},"id":{"N":"7"}},"Expected":{"x":null}}',
  ],
  ['UpdateTable', '{"TableName":"Plants","GlobalSecondaryIndexUpdates":[null]}'],
];

test('malformed requests return 400 in one line, pages of browsers 403, and neither stops the database', async () => {
  const printed = jest.spyOn(console, 'error').mockReturnValue();
  const database = await open();
  const sendTo = (operation: string, body: string, ...headers: string[]) =>
    send(database.endpoint, {
      method: 'POST',
      path: '/',
      headers: [
        ...['Content-Type', 'application/x-amz-json-1.0'],
        ...['X-Amz-Target', `DynamoDB_20120810.${operation}`],
        ...['Authorization', 'AWS4-HMAC-SHA256 Credential=a, SignedHeaders=b, Signature=c'],
        ...['X-Amz-Date', '20260101T000000Z'],
        ...headers,
      ],
      body,
    });
  for (const [operation, body] of malformed) {
    const { status, headers, body: text } = await sendTo(operation, body);
    expect([body, status, headers['content-type'], text]).toEqual([
      body,
      400,
      'application/x-amz-json-1.0',
      '{"__type":"com.amazon.coral.service#SerializationException"}',
    ]);
  }
  const message = /^The database rejected a malformed request: Cannot .*$/;
  const lines = printed.mock.calls.flat();
  printed.mockRestore();
  expect(lines).toEqual(malformed.map(() => expect.stringMatching(message)));
  expect((await sendTo('ListTables', '{}')).status).toBe(200);
  expect((await sendTo('ListTables', '{}', 'Origin', 'https://evil.example')).status).toBe(403);
  await database.client.send(put);
});

test('no idle connection is closed: responses announce no timeout', async () => {
  const database = await open();
  const agent = new Agent({ keepAlive: true });
  finallyDo(() => agent.destroy());
  const { headers } = await send(database.endpoint, { path: '/' }, agent);
  expect(headers.connection).toBe('keep-alive');
  expect(headers).not.toHaveProperty('keep-alive');
});

const another = 'choose another folder with --data, or keep data in memory only with --memory.';

test('a folder in use fails with one line, and opens once the other database stops', async () => {
  const folder = temporaryFolder();
  const database = await open(folder);
  await expect(open(folder)).rejects.toHaveProperty(
    'message',
    `${folder} is in use by another "npm start" or "npm run sam". Stop that one, or ${another}`,
  );
  await database.stop();
  await open(folder);
});

test('a damaged folder fails with one line, and stays as it is', async () => {
  const folder = temporaryFolder();
  await (await open(folder)).stop();
  const current = join(folder, 'dynalite', 'CURRENT');
  writeFileSync(current, 'damaged');
  // LevelDB's own log and lock change.
  const listFiles = () =>
    readdirSync(join(folder, 'dynalite')).filter((name) => !/^(LOG|LOCK)/.test(name));
  const before = listFiles();
  const { message } = await open(folder).catch((error) => error);
  expect(message.replace(/Corruption: .+?\. Remove/, 'Corruption: …. Remove')).toBe(
    `${folder} is damaged: Corruption: …. Remove it to start with an empty one, or ${another}`,
  );
  expect(readFileSync(current, 'utf8')).toBe('damaged');
  expect(listFiles()).toEqual(before);
});

const index = {
  IndexName: 'ByOwner',
  KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
  Projection: { ProjectionType: 'ALL' },
};

test.each([
  {
    other: 'sort key',
    change: {
      AttributeDefinitions: [{ AttributeName: 'owner', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
    },
  },
  {
    other: 'type of key',
    change: {
      AttributeDefinitions: [
        { AttributeName: 'owner', AttributeType: 'S' },
        { AttributeName: 'id', AttributeType: 'S' },
      ],
    },
  },
  { other: 'global index', change: { GlobalSecondaryIndexes: [index] } },
  { other: 'local index', change: { LocalSecondaryIndexes: [index] } },
])(
  'a folder whose table has another $other fails with one line that names the folder, and closes',
  async ({ change }) => {
    const folder = temporaryFolder();
    await (await open(folder)).stop();
    await changeTable(folder, tableIds.plants, change);
    const line = `${folder} has a table Plants with other keys or indexes. Remove it to start with an empty one, or ${another}`;
    await expect(open(folder)).rejects.toHaveProperty('message', line);
    await expect(open(folder)).rejects.toHaveProperty('message', line);
  },
);

test('a folder whose table lists its keys in another order opens', async () => {
  const folder = temporaryFolder();
  await (await open(folder)).stop();
  await changeTable(folder, tableIds.plants, {
    AttributeDefinitions: [
      { AttributeName: 'id', AttributeType: 'N' },
      { AttributeName: 'owner', AttributeType: 'S' },
    ],
  });
  await open(folder);
});

const ioError = Object.assign(new Error('IO error: x'), { code: 'LEVEL_IO_ERROR' });
test.each([
  {
    error: new Error('not open', { cause: ioError }),
    line: `f cannot be read and written: IO error: x. Fix that, or ${another}`,
  },
  { error: ioError, line: `f cannot be read and written: IO error: x. Fix that, or ${another}` },
  {
    error: Object.assign(new Error('Corruption: x'), { code: 'LEVEL_CORRUPTION' }),
    line: `f is damaged: Corruption: x. Remove it to start with an empty one, or ${another}`,
  },
  { error: Object.assign(new Error('x'), { code: 'ENOSPC' }), line: undefined },
  { error: new Error('x'), line: undefined },
  { error: { code: 'LEVEL_IO_ERROR' }, line: undefined },
])('the error $error of the files is the line: $line', ({ error, line }) => {
  const cause = (error as Error).cause ?? error;
  const explained = explainFileError('f', error);
  expect([explained?.message, explained?.cause]).toEqual([line, line && cause]);
});

test('a folder that cannot be created fails with one line', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  await expect(open(join(file, 'store'))).rejects.toMatchObject({
    message: `${join(file, 'store')} cannot be written (ENOTDIR): ${another}`,
    cause: { code: 'ENOTDIR' },
  });
});

test('git ignores a new folder, and a folder with other files gets no .gitignore', async () => {
  const folder = temporaryFolder();
  await (await open(folder)).stop();
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
  const other = temporaryFolder();
  writeFileSync(join(other, 'file'), '');
  await (await open(other)).stop();
  expect(readdirSync(other).sort()).toEqual(['dynalite', 'file']);
});

testOnPosix('it has no such permissions')('only its owner may open a folder', async () => {
  const folder = join(temporaryFolder(), 'new', 'store');
  await (await open(folder)).stop();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'dynalite')).mode & 0o777).toBe(0o700);
});

test('a taken port and a foreign address fail with one line', async () => {
  const { port } = new URL(await serve(() => {}));
  await expect(startDatabase({ port: Number(port) })).rejects.toMatchObject({
    message: `Port ${port} is taken. Choose another with --dynamodb-port.`,
    cause: { code: 'EADDRINUSE' },
  });
  await expect(startDatabase({ port: 0, host: '192.0.2.1' })).rejects.toMatchObject({
    message: '192.0.2.1 is not an address of this machine.',
    cause: { code: 'EADDRNOTAVAIL' },
  });
});
