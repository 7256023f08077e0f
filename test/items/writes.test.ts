import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as sdk from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { connect, requiredVariable } from '../../functions/dynamodb/client.ts';
import { UnknownOutcome } from '../../functions/dynamodb/writes.ts';
import { itemStore } from '../../functions/items/store.ts';
import { plantKind } from '../../functions/plants/plant.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { listen } from '../../lib/offline/http/listen.ts';
import { lambdaEnvironment } from '../support/lambda-environment.ts';
import { plantOf } from '../support/plant.ts';

const TableName = tableIds.plants;
const { env } = process;
const received: string[] = [];
let connections = 0;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const server = createServer((request, response) => {
  received.push(`${request.headers['x-amz-target']}`.replace(/^.*\./, ''));
  response.setHeader('Content-Type', 'application/x-amz-json-1.0');
  request.resume().on('end', () => answer(request, response));
});
server.on('connection', () => {
  connections += 1;
});

let database: sdk.DynamoDBDocumentClient;
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
const put = () => database.send(new sdk.PutCommand({ TableName, Item: { id: 1n } }));
const get = () => database.send(new sdk.GetCommand({ TableName, Key: { id: 1n } }));

/** Returns what a call throws if its attempt ends with an error. */
async function thrownBy(call: () => Promise<object>, fault: object) {
  const error = Object.assign(new Error('fault'), fault);
  const name = 'fails';
  const failing = () => () => Promise.reject(error);
  database.middlewareStack.add(failing, { name, step: 'deserialize', priority: 'low' });
  const thrown = await call().then(
    () => new Error('It worked.'),
    (reason: Error) => reason,
  );
  database.middlewareStack.remove(name);
  return thrown;
}

test('writes share a connection, unless it was idle for five seconds', async () => {
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

/** What the SDK may add counts as a write. */
const onlyRead = /^(Batch|Transact)?GetCommand|^(Query|Scan|DescribeExport)Command/;
const input = { TableName, Key: { id: 1n }, Item: { id: 1n }, RequestItems: {}, Statements: [] };
const commands = Object.entries(sdk).filter(([name]) => /^(?!.*Client)\w+Command$/.test(name));
test.each(
  commands.map(([name, Command]) => {
    const outcome = onlyRead.test(name) ? 'did nothing' : 'may have worked';
    const given = { ...input, Statement: '…', TransactItems: [], TransactStatements: [] };
    return [name, outcome, new (Command as typeof sdk.PutCommand)(given)] as const;
  }),
)('a %s whose answer got lost %s', async (_, outcome, command) => {
  answer = (request) => void request.socket.resetAndDestroy();
  const error = await database.send(command).catch((thrown) => thrown);
  const isUnknown = error instanceof UnknownOutcome;
  expect(isUnknown).toBe(outcome === 'may have worked');
  // For the log.
  if (isUnknown) expect(error.cause).toMatchObject({ code: 'ECONNRESET' });
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
  const thrown = await thrownBy(put, fault);
  const isUnknown = thrown instanceof UnknownOutcome;
  const unknown = isUnknown && thrown.mayStillArrive ? 'may still arrive' : 'may have worked';
  expect(isUnknown ? unknown : 'did nothing').toBe(outcome);
});

test.each([
  ['SyntaxError', 200, 'is unreadable'],
  ['TypeError', 200, 'is unreadable'],
  ['SyntaxError', 400, 'fault'],
  ['SyntaxError', undefined, 'fault'],
  ['Error', 200, 'fault'],
])('a read that ended with %s and %s says that it %s', async (name, httpStatusCode, message) => {
  const thrown = await thrownBy(get, { name, $metadata: { httpStatusCode } });
  expect(thrown.message).toContain(message);
  // The cause is for the log.
  expect(message === 'fault' ? thrown : thrown.cause).toMatchObject({ name });
});

test('a create gives up when the plant in its way was gone twice', async () => {
  received.length = 0;
  const failed = '{"__type":"x#ConditionalCheckFailedException"}';
  answer = (_, response) =>
    void (received.at(-1) === 'PutItem' ? response.writeHead(400).end(failed) : response.end('{}'));
  const plant = plantOf(1n);
  const creation = itemStore(plantKind, database, TableName).create('ann', plant);
  await expect(creation).rejects.toThrow('came and went');
  expect(received).toEqual(['PutItem', 'GetItem', 'PutItem', 'GetItem']);
});

test('white space before an answer is passed over, and a whole answer of it is none', async () => {
  answer = (_, response) => void response.end(' \r\n\t{}');
  expect((await get()).Item).toBeUndefined();
  answer = (_, response) => void response.end(' ');
  await expect(get()).rejects.toThrow('is unreadable');
});

test('a variable of the environment that is missing or empty is an error that names it', () => {
  for (const TABLE of [undefined, '']) {
    process.env = { ...env, ...(TABLE === '' && { TABLE }) };
    expect(() => requiredVariable('TABLE')).toThrow('The environment variable TABLE is not set.');
  }
});
