import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { bundle } from '../../lib/bundle.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { countOf } from '../support/report/property.ts';
import { report } from '../support/report/report.ts';

/** How often a function is frozen and thawed in each way. */
const thaws = Number(process.env.THAWS ?? countOf({ short: 50, whole: 1000 }));
const folder = temporaryFolder();
const key = join(folder, 'key.pem');
const certificate = join(folder, 'certificate.pem');

beforeAll(() => {
  bundle(folder);
  const days = ['-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...days, ...files], {
    stdio: 'ignore',
  });
});

const startedAt = performance.now();
let thawed = 0;
afterAll(() =>
  report(
    {
      topic: 'Faults',
      tried: 'a frozen function whose connection is ended, is reset or stays open, thawed',
      count: thawed,
      unit: 'thaws',
      outcome: 'Each plant was written once, and no answer was 503, without TLS and with it.',
      command: 'THAWS=1000 npm test -- test/faults/thaw',
    },
    startedAt,
  ),
);

/** How the database closes a connection while the function is frozen. */
type Closing = 'is ended' | 'is reset' | 'stays open';

/** Starts a server that takes every write, and a function that writes to it. */
async function start(isTls: boolean) {
  const writes: string[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await request.toArray()).toString();
    if (body.includes('"Item"')) writes.push(JSON.parse(body).Item.id.N);
    response.end('{}');
  };
  const server = isTls
    ? createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, take)
    : createServer(take);
  server.keepAliveTimeout = 0;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // Stands before the server, to reset connections below TLS.
  const sockets = new Set<Socket>();
  const front = createTcpServer((socket) => {
    sockets.add(socket);
    const inner = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.pipe(inner).pipe(socket);
    for (const one of [socket, inner]) one.on('error', () => {});
    socket.on('close', () => sockets.delete(socket) && inner.destroy());
  });
  await once(front.listen(0, '127.0.0.1'), 'listening');
  const { port } = front.address() as AddressInfo;

  const program = join(import.meta.dirname, 'thaw', 'function.mjs');
  const child = spawn(process.execPath, [program, join(folder, 'create-plant', 'start.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'key',
      AWS_ENDPOINT_URL_DYNAMODB: `http${isTls ? 's' : ''}://127.0.0.1:${port}`,
      NODE_EXTRA_CA_CERTS: certificate,
      PLANTS_TABLE: tableIds.plants,
    },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => (await eventually('a line of the function', lines.next())).value;
  await nextLine();
  // T is stopped, and Z has ended.
  const isFrozen = () => / [TZ] /.test(readFileSync(`/proc/${child.pid}/stat`, 'utf8'));

  return {
    writes,
    /** Freezes the function, closes its connection, and thaws it with a waiting invocation. */
    async thaw(closing: Closing, seconds: number, id: number) {
      child.kill('SIGSTOP');
      await eventually('a frozen function', isFrozen);
      // The function sees the invocation before it sees what became of its connection.
      child.stdin.write(`${seconds} ${id}\n`);
      const open = [...sockets].filter((socket) => !socket.writableEnded);
      const ended = open.map((socket) => once(socket, 'finish'));
      if (closing === 'is reset') for (const socket of sockets) socket.resetAndDestroy();
      if (closing === 'is ended') {
        server.closeIdleConnections();
        await eventually('the end of the connections', Promise.all(ended));
      }
      child.kill('SIGCONT');
      return Number(await nextLine());
    },
    async stop() {
      child.stdin.end();
      await eventually('the end of the function', once(child, 'exit'));
      front.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

// Only Linux tells when a process has stopped.
const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux.each([
  ['plain', false],
  ['TLS', true],
])('over %s', (_, isTls) => {
  test.each<Closing>(['is ended', 'is reset', 'stays open'])(
    'a frozen function whose connection %s writes each plant once and never answers 503',
    async (closing) => {
      const { writes, thaw, stop } = await start(isTls);
      const statuses: unknown[] = [];
      // Every second pause exceeds the 5 s after which a connection is not used again.
      for (let id = 0; id < thaws; id += 1) statuses.push(await thaw(closing, id % 2 ? 0 : 6, id));
      await stop();
      expect(statuses).toEqual(Array(thaws).fill(201));
      expect(writes).toEqual(statuses.map((_, id) => `${id}`));
      thawed += thaws;
    },
  );
});
