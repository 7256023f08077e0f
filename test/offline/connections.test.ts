import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, jest, test } from '@jest/globals';
import { stopper } from '../../lib/offline/http/connections.ts';
import { listen } from '../../lib/offline/http/listen.ts';
import { openDatabase } from '../support/database/open-database.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/http/http-client.ts';
import { gate, startFixture } from './fixture.ts';

const length = (bytes: number) => `Content-Length: ${bytes}`;
const head = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`;

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await eventually('a connection', once(socket, 'connect'));
  return socket;
}

/** Waits for the end of a connection, which the server may reset. */
const closeOf = (socket: Socket) =>
  eventually(
    'the end of a connection',
    new Promise<void>((resolve) => socket.once('close', resolve)),
    { seconds: 15 },
  );

interface Server {
  url: string;
  stop(): Promise<void>;
  /** What the server itself has logged. */
  log?: { functionName: string }[];
}
const servers: Record<string, (port?: number) => Promise<Server>> = {
  async 'the API'(port = 0) {
    const { origin, stop, log } = await startFixture({ port });
    return { url: origin, stop, log };
  },
  async 'the database'(port = 0) {
    const { endpoint, stop } = await openDatabase({ port });
    return { url: endpoint, stop };
  },
};

describe.each(Object.entries(servers))('%s', (_, start) => {
  test.concurrent('refuses a port that is taken', async () => {
    const { hostname, port } = new URL((await start()).url);
    expect(hostname).toBe('127.0.0.1');
    await expect(start(Number(port))).rejects.toThrow(
      `Port ${port} is taken: another program listens on it.`,
    );
  });

  test.concurrent('serves on after a client goes away in the middle of its body', async () => {
    const { url, log = [] } = await start();
    const socket = await open(url);
    const closed = closeOf(socket);
    const request = `${head('POST /', length(10))}a`;
    await new Promise<void>((resolve) => socket.write(request, () => resolve()));
    socket.resetAndDestroy();
    await closed;
    expect((await send(url, { path: '/' })).status).toBeLessThan(500);
    expect(log.filter(({ functionName }) => functionName === 'emulator')).toEqual([]);
  });

  test.concurrent('closes connections without a whole request at once when it stops', async () => {
    const { url, stop } = await start();
    const sockets = await Promise.all(Array.from({ length: 4 }, () => open(url)));
    const [, headless, half, idle] = sockets as [Socket, Socket, Socket, Socket];
    headless.write('POST / HTTP/1.1\r\n');
    half.write(head('POST /', length(10), 'Expect: 100-continue'));
    await eventually('a request for the body', once(half, 'data'), { seconds: 10 });
    half.write('{');
    idle.write(head('GET /'));
    await eventually('an answer', once(idle, 'data'), { seconds: 10 });
    const closed = sockets.map((socket) => closeOf(socket.resume()));
    await eventually('a stop', stop(), { seconds: 15 });
    await Promise.all(closed);
  });

  test.concurrent.each([
    ['of a length that it tells', [length(2 ** 31)], (chunk: string) => chunk],
    ['without an end', ['Transfer-Encoding: chunked'], (chunk: string) => `10000\r\n${chunk}\r\n`],
  ])('answers 413 to too long a body %s, and reads no more', async (_, headers, frame) => {
    const { url, stop } = await start();
    const socket = await open(url);
    let answer = '';
    socket.on('data', (data) => (answer += data));
    const closed = closeOf(socket);
    socket.write(head('POST /', ...headers));
    const chunk = frame('a'.repeat(2 ** 16));
    let sent = 0;
    while (!socket.readableEnded && !socket.destroyed && sent < 2 ** 28) {
      sent += chunk.length;
      await new Promise<void>((resolve) => socket.write(chunk, () => resolve()));
    }
    socket.destroy();
    await closed;
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*\r\nConnection: close\r\n/is);
    // The limits are 10 and 16 MB, and the sockets hold some megabytes.
    expect(sent).toBeLessThan(2 ** 25);
    await stop();
  });
});

test('a stop answers what has arrived whole, and nothing that follows it', async () => {
  const fixture = await startFixture();
  const waiting = gate();
  const body = JSON.stringify({ do: 'wait at a gate', gate: await waiting.url });
  const request = head('POST /v1/fault', length(body.length)) + body;
  const socket = await open(fixture.origin);
  const received = text(socket);
  socket.write(request + request + head('POST /v1/fault', length(10)));
  await waiting.holds(2);
  const stopped = fixture.stop();
  socket.write(`0123456789${request}`);
  await expect(send(fixture.origin, { path: '/' })).rejects.toThrow('ECONNREFUSED');
  waiting.release();
  const answers = await eventually('the answers', received, { seconds: 15 });
  const [first, second, ...others] = answers.split('HTTP/1.1 ').slice(1);
  expect(first).toMatch(/^200 (?!.*Connection: close).*"environment"/s);
  expect(second).toMatch(/^200 .*Connection: close.*"environment"/s);
  expect(others).toEqual([]);
  await stopped;
  expect(fixture.log.filter(({ line }) => line.startsWith('Runtime.'))).toEqual([]);
}, 20_000);

describe('the API answers', () => {
  const fixture = startFixture();
  const bothLengths = [length(1), 'Transfer-Encoding: chunked'];
  const large = `X: ${'a'.repeat(10_240)}`;
  const line = 'GET /v1/echo';
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['a header without a name', head(line, ': x'), 400],
    ['no Host', `${line} HTTP/1.1\r\n\r\n`, 400],
    ['two lengths', head('POST /v1/echo', length(1), length(2)), 400],
    ['a length and chunks', head('POST /v1/echo', ...bothLengths), 400],
    ['more than 10 KB of headers', head(line, large), 431],
    ['a method of its own', head('BREW /v1/echo'), 400],
    ['a whole URL', head('GET http://x/v1/echo', 'Connection: close'), 200],
  ])('%s', async (_, request, status) => {
    const { origin } = await fixture;
    const socket = await open(origin);
    socket.write(request);
    const answer = await eventually('an answer', text(socket));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect((await send(origin, { path: '/v1/echo' })).status).toBe(200);
  });

  test('the next request after a client goes away while it waits', async () => {
    const { origin } = await fixture;
    const waiting = gate();
    const body = JSON.stringify({ do: 'wait at a gate', gate: await waiting.url });
    const socket = await open(origin);
    socket.write(head('POST /v1/fault', length(body.length)) + body);
    await waiting.holds(1);
    socket.resetAndDestroy();
    waiting.release();
    expect((await send(origin, { path: '/v1/echo' })).status).toBe(200);
  });
});

test('a stop takes at most ten seconds', async () => {
  const server = createServer();
  const stop = stopper(server);
  const port = await listen(server, 0, '127.0.0.1');
  const socket = await open(`http://127.0.0.1:${port}`);
  socket.write(head('GET /'));
  await eventually('a request', once(server, 'request'));
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  try {
    const stopped = stop();
    const closed = closeOf(socket.resume());
    jest.advanceTimersByTime(9999);
    expect(server.listening).toBe(false);
    await new Promise(setImmediate);
    expect(socket.closed).toBe(false);
    jest.advanceTimersByTime(1);
    await Promise.all([stopped, closed]);
  } finally {
    jest.useRealTimers();
  }
}, 20_000);
