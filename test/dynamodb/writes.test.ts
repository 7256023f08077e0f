import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  ExecuteStatementCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { connect, requiredVariable } from '../../functions/dynamodb/client.ts';
import { UnknownOutcome } from '../../functions/dynamodb/writes.ts';
import { plantKind } from '../../functions/plants/plant.ts';
import { plantStore } from '../../functions/plants/store.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { listen } from '../../lib/emulator/listen.ts';
import { lambdaEnvironment } from '../support/lambda-environment.ts';

const { env } = process;
const commands: string[] = [];
let connections = 0;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const server = createServer((request, response) => {
  commands.push(`${request.headers['x-amz-target']}`.replace(/^.*\./, ''));
  response.setHeader('Content-Type', 'application/x-amz-json-1.0');
  request.resume().on('end', () => answer(request, response));
});
server.on('connection', () => {
  connections += 1;
});

let database: DynamoDBDocumentClient;
beforeAll(async () => {
  const port = await listen(server, 0, '127.0.0.1');
  process.env = { ...env, ...lambdaEnvironment(`http://127.0.0.1:${port}`) };
  database = connect();
});
afterAll(() => {
  database.destroy();
  process.env = env;
  server.close();
});
const put = () => database.send(new PutCommand({ TableName: tableIds.plants, Item: { id: 1n } }));

test('writes that follow each other share a connection', async () => {
  answer = (_, response) => void response.end('{}');
  for (let i = 0; i < 3; i += 1) await put();
  expect(connections).toBe(1);
});

test('a connection that was idle for five seconds is not used for a write', async () => {
  answer = (_, response) => void response.end('{}');
  await put();
  const now = jest.spyOn(Date, 'now');
  const uptime = jest.spyOn(process, 'uptime');
  for (const [clockMs, uptimeMs, opened] of [
    [4000, 4000, 0],
    [5000, 5000, 1],
    // The function was frozen.
    [60_000, 0, 1],
    // The clock was set back, by less or by more than the pause.
    [4000, 6000, 1],
    [-2000, 6000, 1],
    [-2000, 0, 1],
    [0, 0, 0],
  ] as const) {
    const before = connections;
    const [time, age] = [Date.now() + clockMs, process.uptime() + uptimeMs / 1000];
    now.mockReturnValue(time);
    uptime.mockReturnValue(age);
    await put();
    expect([clockMs, uptimeMs, connections - before]).toEqual([clockMs, uptimeMs, opened]);
  }
  now.mockRestore();
  uptime.mockRestore();
});

const TableName = tableIds.plants;
const Key = { id: 1n };
const batch = { RequestItems: {} };
const transaction = { TransactItems: [] };
const reads = [
  new GetCommand({ TableName, Key }),
  new BatchGetCommand(batch),
  new TransactGetCommand(transaction),
  new QueryCommand({ TableName }),
  new ScanCommand({ TableName }),
  new DescribeTableCommand({ TableName }),
];
const writes = [
  new PutCommand({ TableName, Item: Key }),
  new UpdateCommand({ TableName, Key }),
  new DeleteCommand({ TableName, Key }),
  new BatchWriteCommand(batch),
  new TransactWriteCommand(transaction),
  new ExecuteStatementCommand({ Statement: '…' }),
];
test.each([
  ...reads.map((command) => [command.constructor.name, 'did nothing', command] as const),
  ...writes.map((command) => [command.constructor.name, 'may have worked', command] as const),
])('a %s whose answer got lost %s', async (_, outcome, command) => {
  answer = (request) => void request.socket.resetAndDestroy();
  const error = await database.send(command as PutCommand).catch((thrown) => thrown);
  const cause = expect.objectContaining({ code: 'ECONNRESET' });
  if (outcome === 'did nothing') expect(error).not.toBeInstanceOf(UnknownOutcome);
  else expect(error).toMatchObject({ name: 'UnknownOutcome', cause });
});

test.each<[fault: object, outcome: string]>([
  [{ code: 'ECONNREFUSED' }, 'did nothing'],
  [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }, 'did nothing'],
  [{ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }, 'did nothing'],
  [{ code: 'ETIMEDOUT', syscall: 'connect' }, 'did nothing'],
  [{ message: 'Socket did not establish a connection with the server' }, 'did nothing'],
  [{ name: 'AbortError' }, 'did nothing'],
  [{ $metadata: { httpStatusCode: 400 } }, 'did nothing'],
  [{ $metadata: { httpStatusCode: 499 } }, 'did nothing'],
  [{ $metadata: { httpStatusCode: 500 } }, 'may have worked'],
  [{ $metadata: { httpStatusCode: 301 } }, 'may have worked'],
  [{ code: 'ECONNRESET', syscall: 'read' }, 'may have worked'],
  [{ code: 'EPIPE', syscall: 'write' }, 'may have worked'],
  [{ code: 'ETIMEDOUT', syscall: 'read' }, 'may still arrive'],
  [{ name: 'TimeoutError', $metadata: {} }, 'may still arrive'],
])('a write that ended with %j %s', async (fault, outcome) => {
  const error = Object.assign(new Error('fault'), fault);
  const name = 'fails';
  const failing = () => () => Promise.reject(error);
  database.middlewareStack.add(failing, { name, step: 'deserialize', priority: 'low' });
  const thrown = await put().catch((reason) => reason);
  database.middlewareStack.remove(name);
  const unknown = thrown.mayStillArrive ? 'may still arrive' : 'may have worked';
  expect(thrown instanceof UnknownOutcome ? unknown : 'did nothing').toBe(outcome);
});

test('a create gives up when the plant in its way was gone twice', async () => {
  commands.length = 0;
  const failed = '{"__type":"x#ConditionalCheckFailedException"}';
  answer = (_, response) =>
    void (commands.at(-1) === 'PutItem' ? response.writeHead(400).end(failed) : response.end('{}'));
  const plant = plantKind.parse({ id: 1n, name: 'Aloe' });
  const creation = plantStore(database, tableIds.plants).create('ann', plant);
  await expect(creation).rejects.toThrow('came and went');
  expect(commands).toEqual(['PutItem', 'GetItem', 'PutItem', 'GetItem']);
});

test('a variable of the environment that is missing or empty is an error that names it', () => {
  for (const TABLE of [undefined, '']) {
    process.env = { ...env, ...(TABLE === '' && { TABLE }) };
    expect(() => requiredVariable('TABLE')).toThrow('The environment variable TABLE is not set.');
  }
});
