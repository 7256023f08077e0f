import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { finallyDo } from '../../support/cleanup.ts';
import { send } from '../../support/http/http-client.ts';
import { report } from '../../support/report/report.ts';
import { startService } from '../../support/service/service.ts';

const service = await startService();
finallyDo(service.stop);
const token = await service.issue('alice');
const port = Number(new URL(service.baseUrl).port);
beforeAll(async () => {
  // The functions run from now on, so that a request that should not be served is seen at once.
  await exchange(post('Connection: close', 'Content-Length: 0'));
  await exchange(closing(remove));
});

const startedAt = performance.now();
let answered = 0;
afterAll(() =>
  report(
    {
      topic: 'Hostile input',
      tried: 'ambiguous, unfinished and oversized requests, byte by byte',
      count: answered,
      unit: 'requests',
      outcome: 'Each got an answer or a clean end. The next request was served, and no hidden one.',
      command: 'npm run proof -- test/evidence/slow/raw-http',
    },
    startedAt,
  ),
);

afterEach(async () => {
  answered += 1;
  const headers = ['Authorization', `Bearer ${token}`];
  const { status, body } = await send(service.baseUrl, { path: '/plants', headers });
  // The server serves the next request, and has done nothing that was hidden in the last.
  expect([status, body]).toEqual([200, '[]']);
});

const maxWaitMs = 60_000;

/** Writes bytes to a connection. Returns the statuses of all answers until the server closes it. */
function exchange(...parts: (string | Buffer)[]): Promise<number[]> {
  const { promise, resolve, reject } = Promise.withResolvers<number[]>();
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  const statuses = () => {
    const answers = Buffer.concat(chunks).toString();
    return [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => Number(code));
  };
  socket.setTimeout(maxWaitMs, () => {
    socket.destroy();
    reject(new Error(`The server neither answered all nor closed: ${statuses()}`));
  });
  socket.on('data', (chunk) => chunks.push(chunk));
  // A server may close a connection on which the client is still writing.
  socket.on('error', () => {});
  socket.on('close', () => resolve(statuses()));
  for (const part of parts) socket.write(part);
  return promise;
}

const crlf = '\r\n';
const request = (line: string, ...headers: string[]) =>
  [line, 'Host: localhost', `Authorization: Bearer ${token}`, ...headers, '', ''].join(crlf);
const head = (target: string, ...headers: string[]) => request(`${target} HTTP/1.1`, ...headers);
const closing = (target: string, ...more: string[]) => head(target, 'Connection: close', ...more);
const [list, create, remove] = ['GET /v1/plants', 'POST /v1/plants', 'DELETE /v1/plants/7'];
const json = 'Content-Type: application/json';
const last = closing(list);
const post = (...headers: string[]) => head(create, json, ...headers);
const chunked = (chunks: string) => `${post('Transfer-Encoding: chunked')}${chunks}`;
/** The last chunk. */
const end = '0\r\n\r\n';
const inChunks = (parts: string[]) =>
  parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('') + end;
const hidden = '{"id":666,"name":"Smuggled"}';
/** A request that creates a plant, if the server takes it for a request. */
const smuggled = `${post(`Content-Length: ${hidden.length}`)}${hidden}`;

/** A request that two servers could read differently, as one or as two. */
const ambiguous: Record<string, string> = {
  'a length and chunks': post('Content-Length: 5', 'Transfer-Encoding: chunked') + end,
  'chunks and a length': post('Transfer-Encoding: chunked', 'Content-Length: 5') + end,
  'two lengths': post('Content-Length: 0', 'Content-Length: 5'),
  'a list of lengths': post('Content-Length: 0, 5'),
  'a length with a sign': post('Content-Length: +0'),
  'a negative length': post('Content-Length: -1'),
  'a hexadecimal length': post('Content-Length: 0x0'),
  'a length beyond 64 bits': post('Content-Length: 18446744073709551616'),
  'a space before a colon': post('Transfer-Encoding : chunked') + end,
  'a coding that is not chunked': post('Transfer-Encoding: xchunked') + end,
  'chunked, but not last': post('Transfer-Encoding: chunked, identity') + end,
  'chunked twice': post('Transfer-Encoding: chunked', 'Transfer-Encoding: identity') + end,
  'a chunk whose size is too large': chunked('FFFFFFFFFFFFFFFFF\r\n'),
  'a chunk whose size is no number': chunked('0x0\r\n\r\n'),
  'a chunk that is longer than its size': chunked(`1\r\n{}\r\n${end}`),
  'a length in trailers': chunked('0\r\nContent-Length: 9\r\n\r\n'),
  'lines that end in LF': post('Content-Length: 0').replaceAll(crlf, '\n'),
  'lines that end in CR': post('Content-Length: 0').replaceAll(crlf, '\r'),
  'a NUL in a header': post('Content-Length: 0', 'X: \0'),
  'a header without a name': post(': x', 'Content-Length: 0'),
  'no Host': 'GET /v1/plants HTTP/1.1\r\nContent-Length: 0\r\n\r\n',
  'a space in the target': head('GET /v1/plants /v1/plants'),
  'an unknown version': request('GET /v1/plants HTTP/3.7'),
  'HTTP/2 with prior knowledge': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a tunnel': head('CONNECT localhost:1'),
  'no HTTP at all': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
};

test.each(Object.entries(ambiguous))('%s: the connection is closed', async (_, request) => {
  const statuses = await exchange(request, smuggled, last);
  expect(statuses.length).toBeLessThanOrEqual(1);
  for (const status of statuses) expect([400, 431]).toContain(status);
});

const bodies: Record<string, string> = {
  'a body with a request in it': head(remove, `Content-Length: ${smuggled.length}`) + smuggled,
  'a chunk with a request in it': head(remove, 'Transfer-Encoding: chunked') + inChunks([smuggled]),
  'chunks with trailers': `${head(remove, 'Transfer-Encoding: chunked')}0\r\nX: 9\r\n\r\n`,
};

test.each(Object.entries(bodies))('%s is one request', async (_, request) => {
  expect(await exchange(request, last)).toEqual([404, 200]);
});

/** Requests that are odd but clear, with the statuses that a careful client expects. */
const clear: Record<string, [request: string, ...statuses: number[]]> = {
  'an absolute target': [closing('GET http://localhost/v1/plants'), 200],
  'an absolute target on another host': [closing('GET https://evil.example:81/v1/plants'), 200],
  'an absolute target without a path': [closing('GET http://localhost'), 403, 404],
  'the target *': [closing('OPTIONS *'), 403],
  'a target with dots': [closing('GET /v1/plants/../plants'), 404],
  'a target that two hosts could own': [closing('GET //evil.example/v1/plants'), 403],
  '9 KB of slashes before the plants': [closing(`GET /v1${'/'.repeat(9000)}plants`), 200],
  '9 KB of slashes after the plants': [closing(`GET /v1/plants${'/'.repeat(9000)}`), 404],
  '10 KB of slashes': [closing(`GET ${'/'.repeat(10_240)}`), 431],
  '1000 headers': [closing(list, ...Array(1000).fill('A: b')), 200, 431],
  'a wrong token after the right one': [closing(list, 'Authorization: Bearer x'), 401],
  'a token on a folded line': [last.replace('Bearer ', 'Bearer\r\n '), 200, 400, 401],
  'two content types': [closing(create, json, json, 'Content-Length: 0'), 415],
  'another method in a header': [closing(list, 'X-HTTP-Method-Override: PURGE'), 404],
  'a wish to upgrade': [head(list, 'Connection: upgrade, close', 'Upgrade: websocket'), 200],
  'HTTP/1.0 without a Host': [
    `GET /v1/plants HTTP/1.0\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    200,
  ],
  'a small body in one-byte chunks': [
    post('Connection: close', 'Transfer-Encoding: chunked') + inChunks([...'{"id":']),
    400,
  ],
};

test.each(Object.entries(clear))('%s is answered', async (_, [request, ...statuses]) => {
  const answered = await exchange(request);
  expect(answered).toHaveLength(1);
  expect(statuses).toContain(answered[0]);
});

test('nothing is served after a request that closes the connection', async () => {
  const request = closing(remove);
  for (const parts of [[request, smuggled, last], [request + smuggled + last]]) {
    const statuses = await exchange(...parts);
    expect(statuses).toHaveLength(1);
    // Node refuses what follows in the same packet before the first is answered.
    expect([400, 404]).toContain(statuses[0]);
  }
});

test('twenty requests on a connection at once are answered in order', async () => {
  expect(await exchange(...Array(19).fill(head(list)), last)).toEqual(Array(20).fill(200));
});

const mebibytes = (count: number) => Buffer.alloc(count * 2 ** 20, ' ');

const tenAnd = (more: number) =>
  post('Connection: close', `Content-Length: ${10 * 2 ** 20 + more}`);

test.each([
  ['10 MiB', tenAnd(0), ''],
  ['10 MiB and a byte', tenAnd(1), ' '],
  ['10 MiB without a token', tenAnd(0).replace('Bearer', 'B'), ''],
])('a body of %s is refused', async (_, request, more) => {
  const [status, ...others] = await exchange(request, mebibytes(10), more);
  expect(others).toEqual([]);
  expect([401, 413]).toContain(status);
});

test('a client that sends a byte at a time is answered, and holds up no other', async () => {
  const socket = connect(port, '127.0.0.1');
  const answer = once(socket, 'data');
  for (const byte of last) {
    await new Promise((sent) => socket.write(byte, sent));
    if (byte === '\n') expect(await exchange(last)).toEqual([200]);
  }
  expect(`${await answer}`).toMatch(/^HTTP\/1\.1 200 /);
  socket.destroy();
});

const unfinished: Record<string, string> = {
  'before it sends anything': '',
  'in the middle of a head': `${list} HTTP/1.1`,
  'in the middle of a body': `${post('Content-Length: 28')}${hidden.slice(0, 20)}`,
  'in the middle of a chunk': chunked('1c\r\n{"id":666'),
  'before the last chunk': chunked(`1c\r\n${hidden}\r\n`),
};

const moments = Object.entries(unfinished);

test.each(moments)('a client that stops sending %s gets a clean end', async (_, request) => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const ended = new Promise((resolve, reject) => {
    socket.setTimeout(maxWaitMs, () => reject(new Error('The server leaves it open.')));
    socket.on('end', resolve).on('error', reject).resume();
  });
  socket.end(request);
  await ended;
  socket.destroy();
});

test.each(moments)('a client may reset the connection %s', async (_, request) => {
  const socket = connect(port, '127.0.0.1');
  await new Promise((sent) => socket.write(request || '\r\n', sent));
  socket.resetAndDestroy();
  await once(socket, 'close');
});

test('clients that read no answer hold up no other', async () => {
  const requests = head(list).repeat(20);
  const sockets = Array.from({ length: 5 }, () => connect(port, '127.0.0.1').pause());
  await Promise.all(sockets.map((one) => new Promise((sent) => one.write(requests, sent))));
  expect(await exchange(last)).toEqual([200]);
  for (const socket of sockets) socket.destroy();
});
