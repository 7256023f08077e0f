import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, expect, test } from '@jest/globals';
import { finallyDo } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
import { send } from '../../support/http/http-client.ts';
import { report } from '../../support/report/report.ts';
import { startService } from '../../support/service/service.ts';

const service = await startService();
finallyDo(service.stop);
const token = await service.issue('alice');
const port = Number(new URL(service.baseUrl).port);

/** Writes bytes to a connection. Returns the statuses of all answers until the server closes it. */
async function exchange(parts: string[], { isWhole = true } = {}): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let answers = '';
  socket.on('data', (chunk) => (answers += chunk));
  // A server may close a connection on which the client is still writing.
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.on('end', resolve).on('close', resolve));
  for (const part of parts) socket.write(part);
  if (!isWhole) socket.end();
  await eventually('an answer to all, or the end', closed, { instead: () => answers });
  socket.destroy();
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status).join(' ');
}

const request = (line: string, ...headers: string[]) =>
  [line, 'Host: localhost', `Authorization: Bearer ${token}`, ...headers, '', ''].join('\r\n');
const head = (target: string, ...headers: string[]) => request(`${target} HTTP/1.1`, ...headers);
const closing = (target: string, ...more: string[]) => head(target, 'Connection: close', ...more);
const [list, create, remove] = ['GET /v1/plants', 'POST /v1/plants', 'DELETE /v1/plants/7'];
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
/** A request that creates a plant, if the server takes it for a request. */
const smuggled = post(lengthOf(hidden)) + hidden;

/** Requests that two servers could read differently, as one or as two. */
const ambiguous: Record<string, string> = {
  'a length and chunks': post('Content-Length: 5', inChunks) + end,
  'two lengths': post('Content-Length: 0', 'Content-Length: 5'),
  'a length with a sign': post('Content-Length: +0'),
  'a length beyond 64 bits': post('Content-Length: 18446744073709551616'),
  'a space before a colon': post('Transfer-Encoding : chunked') + end,
  'a coding that is not chunked': post('Transfer-Encoding: xchunked') + end,
  'chunked, but not last': post('Transfer-Encoding: chunked, identity') + end,
  'a chunk whose size is too large': chunked('FFFFFFFFFFFFFFFFF\r\n'),
  'a chunk that is longer than its size': chunked(`1\r\n{}\r\n${end}`),
  'a length in trailers': chunked('0\r\nContent-Length: 9\r\n\r\n'),
  'lines that end in LF': post('Content-Length: 0').replaceAll('\r\n', '\n'),
  'a NUL in a header': post('Content-Length: 0', 'X: \0'),
  'no Host': 'GET /v1/plants HTTP/1.1\r\nContent-Length: 0\r\n\r\n',
  'a space in the target': head('GET /v1/plants /v1/plants'),
  'HTTP/2 with prior knowledge': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a tunnel': head('CONNECT localhost:1'),
  'no HTTP at all': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
};

/** Requests that are odd but clear, with the statuses that a careful client expects. */
const clear: Record<string, [statuses: RegExp, ...parts: string[]]> = {
  'a request in a body': [/^404 200$/, head(remove, lengthOf(smuggled)), smuggled, last],
  'a request in a chunk': [/^404 200$/, head(remove, inChunks), chunksOf([smuggled]), last],
  'trailers after chunks': [/^404 200$/, head(remove, inChunks), '0\r\nX: 9\r\n\r\n', last],
  // Node refuses what follows in the same packet before the first is answered.
  'requests after one that closes': [/^(400|404)$/, closing(remove), smuggled, last],
  'twenty requests at once': [/^(200 ){19}200$/, ...Array(19).fill(head(list)), last],
  'an absolute target': [/^200$/, closing('GET http://localhost/v1/plants')],
  'an absolute target elsewhere': [/^200$/, closing('GET https://evil.example:81/v1/plants')],
  'an absolute target without a path': [/^40[34]$/, closing('GET http://localhost')],
  'the target *': [/^403$/, closing('OPTIONS *')],
  'a target with dots': [/^404$/, closing('GET /v1/plants/../plants')],
  'a target that two hosts could own': [/^403$/, closing('GET //evil.example/v1/plants')],
  '9 KB of slashes before the plants': [/^200$/, closing(`GET /v1${'/'.repeat(9000)}plants`)],
  '9 KB of slashes after the plants': [/^404$/, closing(`GET /v1/plants${'/'.repeat(9000)}`)],
  '10 KB of slashes': [/^431$/, closing(`GET ${'/'.repeat(10_240)}`)],
  '1000 headers': [/^(200|431)$/, closing(list, ...Array(1000).fill('A: b'))],
  'a wrong token after the right one': [/^401$/, closing(list, 'Authorization: Bearer x')],
  'a token on a folded line': [/^(200|400|401)$/, last.replace('Bearer ', 'Bearer\r\n ')],
  'two content types': [/^415$/, closing(create, json, json, 'Content-Length: 0')],
  'another method in a header': [/^404$/, closing(list, 'X-HTTP-Method-Override: PURGE')],
  'a wish to upgrade': [/^200$/, head(list, 'Connection: upgrade, close', 'Upgrade: websocket')],
  'HTTP/1.0 without a Host': [/^200$/, last.replace('1.1\r\nHost: localhost', '1.0')],
  'one-byte chunks': [/^400$/, closing(create, json, inChunks), chunksOf([...'{"id":'])],
};

/** What a client has sent when it stops sending. */
const unfinished: Record<string, string> = {
  nothing: '',
  'half of a head': `${list} HTTP/1.1`,
  'half of a body': `${post('Content-Length: 28')}${hidden.slice(0, 20)}`,
  'half of a chunk': chunked('1c\r\n{"id":666'),
  'all but the last chunk': chunked(`1c\r\n${hidden}\r\n`),
};
const cases = Object.entries({
  ...Object.fromEntries(
    Object.entries(ambiguous).map(([what, one]) => [what, [/^(400|431)?$/, one, smuggled, last]]),
  ),
  ...clear,
} as typeof clear);

const startedAt = performance.now();
// The functions run from now on, so that a request that should not be served is seen at once.
beforeAll(() => exchange([post('Content-Length: 0'), closing(remove)]));

test.each(cases)('%s: the answers are those that are due', async (_, [statuses, ...parts]) => {
  expect(await exchange(parts)).toMatch(statuses);
});

test.each(Object.entries(unfinished))(
  'a client that stops after %s gets a clean end',
  async (_, sent) => {
    expect(await exchange([sent], { isWhole: false })).toMatch(/^(400)?$/);
  },
);

test('slow clients and clients that read no answer hold up no other', async () => {
  const deaf = Array.from({ length: 5 }, () => connect(port, '127.0.0.1').pause());
  for (const one of deaf) await new Promise((done) => one.write(head(list).repeat(20), done));
  const slow = connect(port, '127.0.0.1');
  const answer = once(slow, 'data');
  for (const byte of last) {
    await new Promise((done) => slow.write(byte, done));
    if (byte === '\n') expect(await exchange([last])).toBe('200');
  }
  expect(`${await answer}`).toMatch(/^HTTP\/1\.1 200 /);
  for (const socket of [...deaf, slow]) socket.destroy();
});

test('the server serves on, and nothing that was hidden has been done', async () => {
  const headers = ['Authorization', `Bearer ${token}`];
  expect((await send(service.baseUrl, { path: '/plants', headers })).body).toBe('[]');
  report(
    {
      topic: 'Hostile input',
      tried: 'ambiguous and unfinished requests, byte by byte',
      count: cases.length + Object.keys(unfinished).length,
      unit: 'requests',
      outcome: 'Each got an answer or a clean end. The next request was served, and no hidden one.',
      command: 'npm run proof -- test/evidence/proof/raw-http',
    },
    startedAt,
  );
});
