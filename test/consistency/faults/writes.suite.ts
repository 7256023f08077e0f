import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import * as sdk from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import {
  connect,
  requestHandlerOptions,
  requireVariable,
} from '../../../functions/dynamodb/client.ts';
import { UnknownOutcome } from '../../../functions/dynamodb/errors.ts';
import { HandshakeAgent } from '../../../functions/dynamodb/handshake-agent.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { timeouts } from '../../../functions/shared/timeouts.ts';
import { listen } from '../../../lib/local/listen.ts';
import { functionVariables } from '../../../lib/local/runtime/functions.ts';
import { certificateFiles } from '../../support/certificate.ts';
import { finallyDo } from '../../support/cleanup.ts';
import { clock } from '../../support/clock/clock.ts';

// The functions' client sends its commands over TLS, as on AWS. A connection carries many of them.

const TableName = tableIds.plants;
const { env } = process;
let connections = 0;
/** The last connection, below TLS. Its reset sends no alert before. */
let connection: Socket;
let respond: (request: IncomingMessage, response: ServerResponse) => unknown;
const cert = readFileSync(certificateFiles.certificate, 'utf8');
const tls = { key: readFileSync(certificateFiles.key), cert };
const server = createServer(tls, (request, response) => {
  response.setHeader('Content-Type', 'application/x-amz-json-1.0');
  request.resume().on('end', () => respond(request, response));
});
server.on('connection', (socket: Socket) => {
  connections += 1;
  connection = socket;
});
const trusted = getCACertificates('default');

let origin: string;
let database: sdk.DynamoDBDocumentClient;
beforeAll(async () => {
  setDefaultCACertificates([cert]);
  origin = (await listen(server, 0)).replace('http:', 'https:');
  process.env = { ...env, ...functionVariables(origin) };
  database = connect();
});
afterAll(() => {
  database.destroy();
  process.env = env;
  server.close().closeAllConnections();
  setDefaultCACertificates(trusted);
});
const put = () => database.send(new sdk.PutCommand({ TableName, Item: { id: 1n } }));
const get = () => database.send(new sdk.GetCommand({ TableName, Key: { id: 1n } }));

/** Returns the error of a call whose attempt fails with a fault. */
async function catchError(call: () => Promise<object>, fault: object) {
  const error = Object.assign(new Error('fault'), fault);
  const name = 'fails';
  const failCall = () => () => Promise.reject(error);
  database.middlewareStack.add(failCall, { name, step: 'deserialize', priority: 'low' });
  const thrown = await call().then(
    () => new Error('It worked.'),
    (reason: Error) => reason,
  );
  database.middlewareStack.remove(name);
  return thrown;
}

type Pause = [clockMs: number, uptimeMs: number];

/** Makes a call before, and a call after each pause. Returns how many connections those opened. */
async function countOpened(call: () => Promise<object>, pauses: Pause[]): Promise<number> {
  respond = (_, response) => response.end('{}');
  // Write at the times of the spies, because those of the test before may lie in the future.
  const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  const uptime = jest.spyOn(process, 'uptime').mockReturnValue(process.uptime());
  await call();
  const before = connections;
  for (const [clockMs, uptimeMs] of pauses) {
    now.mockReturnValue(Date.now() + clockMs);
    uptime.mockReturnValue(process.uptime() + uptimeMs / 1000);
    await call();
  }
  now.mockRestore();
  uptime.mockRestore();
  return connections - before;
}

test.each<{ what: string; pauses: Pause[]; opened: number }>([
  { what: 'no time passed', pauses: [[0, 0]], opened: 0 },
  { what: 'it was idle for four seconds', pauses: [[4000, 4000]], opened: 0 },
  { what: 'it was idle for 4 s three times', pauses: Array(3).fill([4000, 4000]), opened: 0 },
  { what: 'it was idle for five seconds', pauses: [[5000, 5000]], opened: 1 },
  { what: 'the function was frozen', pauses: [[60_000, 0]], opened: 1 },
  { what: 'the clock was set back by less', pauses: [[4000, 6000]], opened: 1 },
  { what: 'the clock was set back by more', pauses: [[-2000, 6000]], opened: 1 },
  { what: 'only the clock was set back', pauses: [[-2000, 0]], opened: 1 },
])('if $what, a write opens $opened connections', async ({ pauses, opened }) => {
  expect(await countOpened(put, pauses)).toBe(opened);
});

test('a read uses a connection that was idle for a minute', async () => {
  expect(await countOpened(get, [[60_000, 60_000]])).toBe(0);
});

/** All other commands count as writes, later ones of the SDK included. */
const onlyRead = /^(Batch|Transact)?GetCommand|^(Query|Scan|DescribeExport)Command/;
/** The input of any command. */
const input = {
  TableName,
  Key: { id: 1n },
  Item: { id: 1n },
  RequestItems: {},
  Statement: '…',
  Statements: [],
  TransactItems: [],
  TransactStatements: [],
};
const commands = Object.entries(sdk)
  .filter(([name]) => /^(?!.*Client)\w+Command$/.test(name))
  .map(([name, Command]) => ({
    name,
    command: new (Command as typeof sdk.PutCommand)(input),
  }));
test.each(commands)(
  'a $name whose response is lost may have taken effect, unless it only reads',
  async (row) => {
    respond = () => connection.resetAndDestroy();
    const error = await database.send(row.command).catch((thrown) => thrown);
    const isRead = onlyRead.test(row.name);
    expect(error instanceof UnknownOutcome).toBe(!isRead);
    // For the log.
    expect(isRead ? error : error.cause).toMatchObject({ code: 'ECONNRESET' });
  },
);

test.each(commands)('a $name is sent after one turn of the event loop', async ({ command }) => {
  respond = (_, response) => response.end('{}');
  const events: string[] = [];
  const record = (next: (args: never) => unknown) => (args: never) => {
    events.push('sent');
    return next(args);
  };
  const name = 'records';
  database.middlewareStack.add(record as never, { name, step: 'deserialize', priority: 'low' });
  setImmediate(() => events.push('one turn'));
  await database.send(command).catch(() => {});
  database.middlewareStack.remove(name);
  expect(events.slice(0, 2)).toEqual(['one turn', 'sent']);
});

const fates = {
  'did nothing': [
    { code: 'ECONNREFUSED' },
    { code: 'ENOTFOUND', syscall: 'getaddrinfo' },
    { code: 'EAI_AGAIN', syscall: 'getaddrinfo' },
    { code: 'EAI_FAIL', syscall: 'getaddrinfo' },
    { code: 'EAI_NODATA', syscall: 'getaddrinfo' },
    { code: 'ETIMEDOUT', syscall: 'connect' },
    { message: 'Socket did not establish a connection with the server' },
    { name: 'AbortError' },
    { $metadata: { httpStatusCode: 400 } },
    { $metadata: { httpStatusCode: 499 } },
  ],
  'may have worked, and is over': [
    { $metadata: { httpStatusCode: 500 } },
    { $metadata: { httpStatusCode: 301 } },
    { code: 'ECONNRESET', syscall: 'read' },
    { code: 'EPIPE', syscall: 'write' },
  ],
  'may still arrive': [
    { code: 'ETIMEDOUT', syscall: 'read' },
    { name: 'TimeoutError', $metadata: {} },
  ],
};
const ended = Object.entries(fates).flatMap(([fate, faults]) =>
  faults.map((fault) => ({ fate, fault })),
);
test.each(ended)('a write that ended with $fault $fate', async ({ fate, fault }) => {
  const thrown = await catchError(put, fault);
  if (thrown instanceof UnknownOutcome) {
    const unknown = thrown.mayStillArrive ? 'may still arrive' : 'may have worked, and is over';
    expect(unknown).toBe(fate);
    expect(thrown.cause).toMatchObject(fault);
  } else {
    expect(fate).toBe('did nothing');
    expect(thrown).toMatchObject(fault);
  }
});

test.each([
  { command: 'write', call: put },
  { command: 'read', call: get },
])('a $command whose host name cannot be resolved is sent three times', async ({ call }) => {
  const error = Object.assign(new Error('fault'), { code: 'EAI_FAIL', syscall: 'getaddrinfo' });
  let attempts = 0;
  const failCall = () => () => {
    attempts += 1;
    return Promise.reject(error);
  };
  database.middlewareStack.add(failCall, { name: 'fails', step: 'deserialize', priority: 'low' });
  await expect(call()).rejects.toBe(error);
  database.middlewareStack.remove('fails');
  expect(attempts).toBe(3);
});

test('a read that fails pauses for up to 25 ms, then for up to 50 ms', async () => {
  const statuses = [500, 500, 200];
  respond = (_, response) => response.writeHead(statuses.shift() ?? 0).end('{}');
  const random = jest.spyOn(Math, 'random').mockReturnValue(0.999);
  const { $metadata } = await get();
  random.mockRestore();
  expect($metadata).toMatchObject({ attempts: 3, totalRetryDelay: 24 + 49 });
});

/** Resolves once a client in this process has received the head of a response. */
function responseBegins(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const name = 'http.client.response.finish';
  subscribe(name, function onResponse() {
    unsubscribe(name, onResponse);
    resolve();
  });
  return promise;
}

/** Returns why the first attempt of a put failed. Calls a function once it is sent. */
async function firstFailure(client: sdk.DynamoDBDocumentClient, whenSent = () => {}) {
  const failures: string[] = [];
  client.middlewareStack.add(
    (next) => (args) => {
      const sent = next(args);
      whenSent();
      return sent.catch((error) => {
        failures.push(error.message);
        // The SDK does not retry after an AbortError.
        throw Object.assign(error, { name: 'AbortError' });
      });
    },
    { step: 'deserialize', priority: 'low' },
  );
  const put = new sdk.PutCommand({ TableName, Item: { id: 1n } });
  await client.send(put).catch(() => {});
  return failures[0];
}

test('the limit of a handshake does not limit the response', async () => {
  process.env = { ...env, ...functionVariables(origin) };
  // The first byte comes after the limit.
  respond = async (_, response) => {
    await clock.advance(1000);
    response.end('{}');
  };
  const client = connect();
  const { $metadata } = await client.send(new sdk.PutCommand({ TableName, Item: { id: 1n } }));
  expect($metadata.attempts).toBe(1);
  client.destroy();
});

// An attempt without these limits fails after 1.5 s, with another message.
test('a TLS handshake that hangs fails after one second', async () => {
  const silent = createTcpServer((socket) => socket.once('data', () => clock.advance(1000)));
  finallyDo(() => silent.close());
  const endpoint = await listen(silent, 0);
  process.env = { ...env, ...functionVariables(endpoint.replace('http:', 'https:')) };
  const client = connect();
  const message = await firstFailure(client);
  client.destroy();
  expect(message).toBe('No TLS connection was established within 1000 ms.');
});

test.each([
  {
    what: 'never begins',
    part: () => clock.advance(1500),
    message: /a request has exceeded the configured 1500 ms requestTimeout/,
    mayStillArrive: true,
  },
  {
    what: 'stops',
    part: async (_: IncomingMessage, response: ServerResponse) => {
      const begun = responseBegins();
      response.write('{');
      await begun;
      await clock.advance(1500);
    },
    message: /the request socket timed out after 1500 ms of inactivity/,
    mayStillArrive: false,
  },
])('a write whose response $what is unknown after 1.5 seconds', async (row) => {
  respond = row.part;
  const error = await put().catch((thrown) => thrown);
  expect(error).toBeInstanceOf(UnknownOutcome);
  expect(error.mayStillArrive).toBe(row.mayStillArrive);
  expect(error.cause.message).toMatch(row.message);
});

test('a write that waits for a free connection fails after one second, and is not unknown', async () => {
  expect(new HandshakeAgent(1000).maxSockets).toBe(50);
  process.env = { ...env, ...functionVariables(origin) };
  const waiting = Promise.withResolvers<void>();
  respond = () => waiting.resolve();
  const client = connect({
    credentials: fromEnv(),
    requestHandler: requestHandlerOptions(timeouts, { maxSockets: 1 }),
  });
  const done = new AbortController();
  const get = new sdk.GetCommand({ TableName, Key: { id: 1n } });
  const hanging = client.send(get, { abortSignal: done.signal }).catch(() => {});
  await waiting.promise;
  const message = await firstFailure(client, () => void clock.advance(1000));
  done.abort();
  await hanging;
  client.destroy();
  expect(message).toMatch(/did not establish a connection .* timeout of 1000 ms/);
});

const unreadable = 'The response of DynamoDB is unreadable.';
test.each([
  { name: 'SyntaxError', httpStatusCode: 200, message: unreadable },
  { name: 'TypeError', httpStatusCode: 200, message: unreadable },
  { name: 'SyntaxError', httpStatusCode: 400, message: 'fault' },
  { name: 'SyntaxError', httpStatusCode: undefined, message: 'fault' },
  { name: 'Error', httpStatusCode: 200, message: 'fault' },
])('a read that ended with $name and $httpStatusCode throws "$message"', async (row) => {
  const { name, httpStatusCode, message } = row;
  const thrown = await catchError(get, { name, $metadata: { httpStatusCode } });
  expect(thrown.message).toBe(message);
  // The cause is for the log.
  expect(thrown.cause ?? thrown).toMatchObject({ name });
});

test('white space before a response is ignored', async () => {
  respond = (_, response) => response.end(' \r\n\t{}');
  expect((await get()).Item).toBeUndefined();
});

test.each(['', ' ', '[]'])('the response %j is unreadable', async (body) => {
  respond = (_, response) => response.end(body);
  await expect(get()).rejects.toThrow('is unreadable');
});

test.each([
  { title: 'missing', variables: {} },
  { title: 'empty', variables: { TABLE: '' } },
])('a variable of the environment that is $title is an error that names it', ({ variables }) => {
  process.env = { ...env, ...variables };
  expect(() => requireVariable('TABLE')).toThrow('The environment variable TABLE is not set.');
});
