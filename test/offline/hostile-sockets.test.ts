import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, expect, test } from '@jest/globals';
import { finallyDo } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/http/http-client.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
finallyDo(service.stop);
const token = await service.issue('alice');
const port = Number(new URL(service.baseUrl).port);

/** Writes bytes to a connection. Returns the statuses of all responses until the server closes it. */
async function exchange(parts: string[], { isWhole = true } = {}): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  socket.on('data', (chunk) => (received += chunk));
  // A server may close a connection on which the client is still writing.
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.on('end', resolve).on('close', resolve));
  for (const part of parts) {
    socket.write(part);
  }
  if (!isWhole) {
    socket.end();
  }
  await eventually('all responses, or the close', closed, { instead: () => received });
  socket.destroy();
  return [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status).join(' ');
}

const request = (line: string, ...headers: string[]) =>
  [line, 'Host: localhost', `Authorization: Bearer ${token}`, ...headers, '', ''].join('\r\n');
const head = (target: string, ...headers: string[]) => request(`${target} HTTP/1.1`, ...headers);
const closing = (target: string, ...more: string[]) => head(target, 'Connection: close', ...more);
const list = 'GET /v1/plants';
const create = 'POST /v1/plants';
const remove = 'DELETE /v1/plants/7';
const last = closing(list);
const json = 'Content-Type: application/json';
const inChunks = 'Transfer-Encoding: chunked';
const lengthOf = (body: string) => `Content-Length: ${body.length}`;
const post = (...headers: string[]) => head(create, json, ...headers);
const chunked = (chunks: string) => post(inChunks) + chunks;
const end = '0\r\n\r\n';
const chunksOf = (parts: string[]) =>
  parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('') + end;
const hidden = '{"id":666,"name":"Smuggled"}';
/** Creates a plant, if the server treats this as a request. */
const smuggled = post(lengthOf(hidden)) + hidden;

interface Case {
  what: string;
  /** The client's packets. */
  parts: string[];
  /** The expected statuses, separated by spaces. */
  statuses: RegExp;
}

/** Returns the case of a text that one server reads as one request, and another as two. */
const ambiguous = (what: string, text: string): Case => ({
  what,
  parts: [text, smuggled, last],
  statuses: /^400$/,
});
const ambiguousCases = [
  ambiguous('a length and chunks', post('Content-Length: 5', inChunks) + end),
  ambiguous('two lengths', post('Content-Length: 0', 'Content-Length: 5')),
  ambiguous('a length with a sign', post('Content-Length: +0')),
  ambiguous('a length beyond 64 bits', post('Content-Length: 18446744073709551616')),
  ambiguous('a space before a colon', post('Transfer-Encoding : chunked') + end),
  ambiguous('a coding that is not chunked', post('Transfer-Encoding: xchunked') + end),
  ambiguous('chunked, but not last', post('Transfer-Encoding: chunked, identity') + end),
  ambiguous('a chunk whose size is too large', chunked('FFFFFFFFFFFFFFFFF\r\n')),
  ambiguous('a chunk that is longer than its size', chunked(`1\r\n{}\r\n${end}`)),
  ambiguous('a length in trailers', chunked('0\r\nContent-Length: 9\r\n\r\n')),
  ambiguous('lines that end in LF', post('Content-Length: 0').replaceAll('\r\n', '\n')),
  ambiguous('a NUL in a header', post('Content-Length: 0', 'X: \0')),
  ambiguous('a space in the target', head('GET /v1/plants /v1/plants')),
  ambiguous('HTTP/2 with prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  ambiguous('no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
];

/** Odd but clear requests, with the statuses that a careful client expects. */
const clearCases: Case[] = [
  // Node closes the connection without a response.
  { what: 'a tunnel', parts: [head('CONNECT localhost:1'), smuggled, last], statuses: /^$/ },
  {
    what: 'no Host',
    parts: ['GET /v1/plants HTTP/1.1\r\nConnection: close\r\n\r\n'],
    statuses: /^400$/,
  },
  {
    what: 'a request in a body',
    parts: [head(remove, lengthOf(smuggled)), smuggled, last],
    statuses: /^404 200$/,
  },
  {
    what: 'a request in a chunk',
    parts: [head(remove, inChunks), chunksOf([smuggled]), last],
    statuses: /^404 200$/,
  },
  {
    what: 'trailers after chunks',
    parts: [head(remove, inChunks), '0\r\nX: 9\r\n\r\n', last],
    statuses: /^404 200$/,
  },
  // Node rejects further requests in the same packet before it responds to the first.
  {
    what: 'requests after one that closes',
    parts: [closing(remove), smuggled, last],
    statuses: /^(400|404)$/,
  },
  {
    what: 'twenty requests at once',
    parts: [...Array(19).fill(head(list)), last],
    statuses: /^(200 ){19}200$/,
  },
  {
    what: 'an absolute target',
    parts: [closing('GET http://localhost/v1/plants')],
    statuses: /^200$/,
  },
  {
    what: 'an absolute target elsewhere',
    parts: [closing('GET https://evil.example:81/v1/plants')],
    statuses: /^200$/,
  },
  {
    what: 'an absolute target without a path',
    parts: [closing('GET http://localhost')],
    statuses: /^403$/,
  },
  { what: 'the target *', parts: [closing('OPTIONS *')], statuses: /^403$/ },
  { what: 'a target with dots', parts: [closing('GET /v1/plants/../plants')], statuses: /^404$/ },
  {
    what: 'a target that two hosts could own',
    parts: [closing('GET //evil.example/v1/plants')],
    statuses: /^403$/,
  },
  {
    what: '9 KB of slashes before the plants',
    parts: [closing(`GET /v1${'/'.repeat(9000)}plants`)],
    statuses: /^200$/,
  },
  {
    what: '9 KB of slashes after the plants',
    parts: [closing(`GET /v1/plants${'/'.repeat(9000)}`)],
    statuses: /^404$/,
  },
  { what: '20 KB of slashes', parts: [closing(`GET ${'/'.repeat(20_480)}`)], statuses: /^431$/ },
  {
    what: '1000 headers',
    parts: [closing(list, ...Array(1000).fill('A: b'))],
    statuses: /^431$/,
  },
  {
    what: 'a wrong token after the right one',
    parts: [closing(list, 'Authorization: Bearer x')],
    statuses: /^401$/,
  },
  {
    what: 'a token on a folded line',
    parts: [last.replace('Bearer ', 'Bearer\r\n ')],
    statuses: /^400$/,
  },
  {
    what: 'two content types',
    parts: [closing(create, json, json, 'Content-Length: 0')],
    statuses: /^415$/,
  },
  {
    what: 'another method in a header',
    parts: [closing(list, 'X-HTTP-Method-Override: PURGE')],
    statuses: /^200$/,
  },
  {
    what: 'a wish to upgrade',
    parts: [head(list, 'Connection: upgrade, close', 'Upgrade: websocket')],
    statuses: /^200$/,
  },
  {
    what: 'HTTP/1.0 without a Host',
    parts: [last.replace('1.1\r\nHost: localhost', '1.0')],
    statuses: /^200$/,
  },
  {
    what: 'one-byte chunks',
    parts: [closing(create, json, inChunks), chunksOf([...'{"id":'])],
    statuses: /^400$/,
  },
];
const cases = [...ambiguousCases, ...clearCases];

/** The bytes that a client sends before it stops. */
const unfinished: Record<string, string> = {
  nothing: '',
  'half of a head': `${list} HTTP/1.1`,
  'half of a body': `${post('Content-Length: 28')}${hidden.slice(0, 20)}`,
  'half of a chunk': chunked('1c\r\n{"id":666'),
  'all but the last chunk': chunked(`1c\r\n${hidden}\r\n`),
};
// Starts the functions, so that a request that should not be served shows at once.
beforeAll(() => exchange([post('Content-Length: 0'), closing(remove)]));

test.each(cases)('$what: the server sends the expected statuses', async ({ parts, statuses }) => {
  expect(await exchange(parts)).toMatch(statuses);
});

test.each(Object.entries(unfinished))(
  'a client that stops after %s gets a 400 or a closed connection',
  async (_, sent) => {
    expect(await exchange([sent], { isWhole: false })).toMatch(/^(400)?$/);
  },
);

test('slow clients, and clients that read no response, delay no other client', async () => {
  const deaf = Array.from({ length: 5 }, () => connect(port, '127.0.0.1').pause());
  for (const one of deaf) {
    await new Promise((done) => one.write(head(list).repeat(20), done));
  }
  const slow = connect(port, '127.0.0.1');
  const response = once(slow, 'data');
  for (const byte of last) {
    await new Promise((done) => slow.write(byte, done));
    if (byte === '\n') {
      expect(await exchange([last])).toBe('200');
    }
  }
  expect(`${await response}`).toMatch(/^HTTP\/1\.1 200 /);
  for (const socket of [...deaf, slow]) {
    socket.destroy();
  }
});

test('afterwards the server still responds, and no hidden request created a plant', async () => {
  const headers = ['Authorization', `Bearer ${token}`];
  expect((await send(service.baseUrl, { path: '/plants', headers })).body).toBe('[]');
});
