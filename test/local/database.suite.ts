import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { GetCommand, PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { ClassicLevel } from 'classic-level';
import { makeDocumentClient } from '../../functions/dynamodb/client.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { localClient } from '../../lib/local/database/client.ts';
import { startDatabase } from '../../lib/local/database/database.ts';
import { explainFileError } from '../../lib/local/database/folder.ts';
import { createTables } from '../../lib/local/database/tables.ts';
import { root } from '../support/checkout.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { stoppedClock } from '../support/clock/clock.ts';
import { send } from '../support/http/http-client.ts';
import { serve } from '../support/http/servers.ts';
import { makeBody } from '../support/plant.ts';
import { testOnPosix } from '../support/posix.ts';
import { startProgram } from '../support/program.ts';
import { maskStart } from '../support/programs/printed.ts';

const plant = { owner: 'alice', id: 7, name: 'Monstera', tag: '' };
const put = new PutCommand({ TableName: tableIds.plants, Item: plant });
const get = new GetCommand({ TableName: tableIds.plants, Key: { owner: 'alice', id: 7 } });

async function open(folder?: string) {
  const database = await startDatabase({ folder, port: 0 });
  // With a database left open, Jest would not exit.
  finallyDo(database.stop);
  await database.createTables();
  return { ...database, client: makeDocumentClient(localClient(database.endpoint)) };
}

/** Returns the folder of a stopped database with a plant. */
async function usedFolder(): Promise<string> {
  const folder = temporaryFolder();
  const { client, stop } = await open(folder);
  await client.send(put);
  await stop();
  return folder;
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

/** Returns the prototype of the class that the iterators of both databases extend. */
async function findIterators(): Promise<{ close(): void }> {
  const level = new ClassicLevel(temporaryFolder());
  let prototype = Object.getPrototypeOf(level.iterator());
  while (!Object.hasOwn(prototype, 'close')) {
    prototype = Object.getPrototypeOf(prototype);
  }
  await level.close();
  return prototype;
}

test.each([
  ['memory', () => open()],
  ['a folder', async () => open(await usedFolder())],
])('a database in %s closes the iterator of each query', async (_, start) => {
  const { client } = await start();
  await client.send(put);
  const closed = jest.spyOn(await findIterators(), 'close');
  await client.send(
    new QueryCommand({
      TableName: tableIds.plants,
      KeyConditionExpression: '#owner = :owner',
      ExpressionAttributeNames: { '#owner': 'owner' },
      ExpressionAttributeValues: { ':owner': 'alice' },
    }),
  );
  expect(closed).toHaveBeenCalled();
  closed.mockRestore();
});

test('an unfinished table is created again, and the others stay', async () => {
  const folder = await usedFolder();
  await changeTable(folder, tableIds.accessTokens, { TableStatus: 'CREATING' });
  const { client } = await open(folder);
  const Item = { id: 'abcdefghijkl' };
  await client.send(new PutCommand({ TableName: tableIds.accessTokens, Item }));
  expect((await client.send(get)).Item).toMatchObject({ name: 'Monstera' });
});

test('an error of creating a table is not taken for an existing table', async () => {
  const endpoint = await serve(({ headers }, response) => {
    const message = headers['x-amz-target'];
    response.writeHead(400).end(JSON.stringify({ __type: 'ValidationException', message }));
  });
  await expect(createTables(endpoint)).rejects.toThrow('DynamoDB_20120810.CreateTable');
});

test('malformed requests get 500 in one line, pages of browsers 403, and neither stops the database', async () => {
  const memory = await open();
  const printed = jest.spyOn(console, 'error').mockReturnValue();
  const sendTo = (operation: string, body: string, ...headers: string[]) =>
    send(memory.endpoint, {
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
  const malformed = [
    { operation: 'PutItem', body: 'null', member: 'ReturnConsumedCapacity' },
    {
      operation: 'BatchGetItem',
      body: '{"RequestItems":{"Plants":null}}',
      member: 'ProjectionExpression',
    },
    {
      operation: 'UpdateTable',
      body: '{"TableName":"Plants","GlobalSecondaryIndexUpdates":[null]}',
      member: 'Update',
    },
  ];
  for (const { operation, body, member } of malformed) {
    const message = `Cannot read properties of null (reading '${member}')`;
    const __type = 'com.amazonaws.dynamodb.v20120810#InternalServerError';
    expect(await sendTo(operation, body)).toMatchObject({
      status: 500,
      headers: { 'content-type': 'application/x-amz-json-1.0' },
      body: JSON.stringify({ __type, message }),
    });
    expect(printed).toHaveBeenLastCalledWith(`The database failed on a request: ${message}`);
  }
  expect(printed).toHaveBeenCalledTimes(3);
  printed.mockRestore();
  expect((await sendTo('ListTables', '{}')).status).toBe(200);
  expect((await sendTo('ListTables', '{}', 'Origin', 'https://evil.example')).status).toBe(403);
  await memory.client.send(put);
});

test('no idle connection is closed: responses announce no timeout', async () => {
  const { endpoint } = await open();
  const agent = new Agent({ keepAlive: true });
  finallyDo(() => agent.destroy());
  const { headers } = await send(endpoint, { path: '/' }, agent);
  expect(headers.connection).toBe('keep-alive');
  expect(headers).not.toHaveProperty('keep-alive');
});

test('a stop aborts the requests in progress', async () => {
  const { endpoint, stop } = await open();
  const sent = request(endpoint, { method: 'POST', headers: { Expect: '100-continue' } });
  finallyDo(() => sent.destroy());
  sent.flushHeaders();
  await once(sent, 'continue');
  await Promise.all([expect(once(sent, 'response')).rejects.toThrow('socket hang up'), stop()]);
});

const another = 'choose another folder with --data, or keep data in memory only with --memory.';

test('a folder in use fails with one line, and opens once the other database stops', async () => {
  const folder = temporaryFolder();
  const { stop } = await open(folder);
  await expect(open(folder)).rejects.toHaveProperty(
    'message',
    `${folder} is in use by another "npm start" or "npm run sam". Stop that one, or ${another}`,
  );
  await stop();
  await open(folder);
});

test('a damaged folder fails with one line, and stays as it is', async () => {
  const folder = await usedFolder();
  const current = join(folder, 'dynalite', 'CURRENT');
  writeFileSync(current, 'damaged');
  // LevelDB's own log and lock change.
  const listFiles = () =>
    readdirSync(join(folder, 'dynalite')).filter((name) => !/^(LOG|LOCK)/.test(name));
  const before = listFiles();
  const { message, cause } = await open(folder).catch((error) => error);
  expect(message.replace(/Corruption: .+?\. Remove/, 'Corruption: …. Remove')).toBe(
    `${folder} is damaged: Corruption: …. Remove it to start with an empty one, or ${another}`,
  );
  expect(cause.code).toBe('LEVEL_CORRUPTION');
  expect(readFileSync(current, 'utf8')).toBe('damaged');
  expect(listFiles()).toEqual(before);
});

const owner = { AttributeName: 'owner', AttributeType: 'S' };
const KeySchema = [{ AttributeName: 'owner', KeyType: 'HASH' }];
const index = { IndexName: 'ByOwner', KeySchema, Projection: { ProjectionType: 'ALL' } };

test.each([
  ['sort key', { AttributeDefinitions: [owner], KeySchema }],
  ['type of key', { AttributeDefinitions: [owner, { AttributeName: 'id', AttributeType: 'S' }] }],
  ['global index', { GlobalSecondaryIndexes: [index] }],
  ['local index', { LocalSecondaryIndexes: [index] }],
])('a folder whose table has another %s fails with one line', async (_, change) => {
  const folder = await usedFolder();
  await changeTable(folder, tableIds.plants, change);
  await expect(open(folder)).rejects.toHaveProperty(
    'message',
    `${folder} has a table Plants with other keys or indexes. Remove it to start with an empty one, or ${another}`,
  );
});

test('a folder whose table lists its keys in another order opens', async () => {
  const folder = await usedFolder();
  const AttributeDefinitions = [{ AttributeName: 'id', AttributeType: 'N' }, owner];
  await changeTable(folder, tableIds.plants, { AttributeDefinitions });
  await open(folder);
});

test('an error of LevelDB is explained in one line', () => {
  const error = Object.assign(new Error('IO error: x'), { code: 'LEVEL_IO_ERROR' });
  const message = `f cannot be read and written: IO error: x. Fix that, or ${another}`;
  expect(explainFileError('f', error)).toMatchObject({ message, cause: error });
});

test.each([
  ['of another code', Object.assign(new Error('x'), { code: 'ENOSPC' })],
  ['of a bug of dynalite', Object.assign(new Error('x'), { code: 'LEVEL_INVALID_VALUE' })],
  ['without a code', new Error('x')],
  ['that is no Error', { code: 'LEVEL_IO_ERROR' }],
])('an error %s is not explained', (_, error) => {
  expect(explainFileError('f', error)).toBeUndefined();
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
  await open(folder);
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
  const other = temporaryFolder();
  writeFileSync(join(other, 'file'), '');
  await open(other);
  expect(readdirSync(other).sort()).toEqual(['dynalite', 'file']);
});

testOnPosix('it has no such permissions')('only its owner may open a folder', async () => {
  const folder = join(temporaryFolder(), 'new', 'store');
  await open(folder);
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

const testLimits = testOnPosix('it limits no file');

testLimits('a failed write stops npm start, whose folder has the others', async () => {
  const data = join(temporaryFolder(), 'new', 'store');
  // A file of the database cannot grow beyond 32 or 64 KiB, as if the disk was full.
  const start = join(root, 'bin', 'start.ts');
  const limited = ['-c', 'ulimit -f 64; exec "$0" "$@"', process.execPath, start];
  const args = ['--port', '0', '--dynamodb-port', '0', '--data', data];
  const env = { ...process.env, ...stoppedClock };
  const program = startProgram('sh', [...limited, ...args], { env });
  await program.line(/^Press Ctrl-C/);
  const [, baseUrl = ''] = /^Plant Store: (.+)$/m.exec(program.output.stdout) ?? [];
  const [, token = ''] = /Bearer (\w+)/.exec(program.output.stdout) ?? [];
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const created: string[] = [];
  for (let id = 1; id <= 1000 && program.child.exitCode === null; id += 1) {
    const name = `${id} ${'🌵'.repeat(190)}`;
    const body = makeBody(id, name);
    const response = await fetch(`${baseUrl}/plants`, { method: 'POST', headers, body }).catch(
      () => undefined,
    );
    if (response?.status !== 201) {
      break;
    }
    created.push(name);
  }
  expect(created.length).toBeGreaterThan(20);
  const { code, stdout, stderr } = maskStart(await program.ended());
  expect({
    code,
    stdout: stdout.replace(data, 'FOLDER'),
    stderr: stderr
      .replaceAll(/^.* POST {3}\/v1\/plants 201 \d+ ms\n/gm, '')
      .replaceAll(data, 'FOLDER')
      // The part that the system adds.
      .replace(/IO error: .*: /, 'IO error: …: '),
  }).toMatchSnapshot();

  const { client } = await open(data);
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tableIds.plants }));
  expect(Items.slice(0, created.length).map(({ name }) => name)).toEqual(created);
});
