import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { listen } from '../../lib/local/listen.ts';
import { functionVariables } from '../../lib/local/runtime/functions.ts';
import { certificateFiles } from '../support/certificate.ts';
import { finallyDo } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { startProgram } from '../support/program.ts';
import { isThorough } from '../support/property.ts';

/** Number of thaws in each test. Half of them show a write over a dead connection. */
const thaws = isThorough ? 100 : 6;

/** How the database closes a connection while the function is frozen. */
type Closing = 'is ended' | 'is reset' | 'stays open';

/** Starts a database that accepts every write, and a function that writes to it. */
async function start() {
  const writes: string[] = [];
  const { key, certificate } = certificateFiles;
  const tls = { key: readFileSync(key), cert: readFileSync(certificate), keepAliveTimeout: 0 };
  const server = createServer(tls, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    if (body.includes('"Item"')) {
      writes.push(JSON.parse(body).Item.id.N);
    }
    response.end('{}');
  });
  // Sockets below TLS: their reset sends no TLS alert first.
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  const endpoint = (await listen(server, 0)).replace('http', 'https');
  finallyDo(() => server.close().closeAllConnections());

  const args = [join(import.meta.dirname, 'thaw', 'function.mjs')];
  const env = { ...functionVariables(endpoint), NODE_EXTRA_CA_CERTS: certificate };
  const { child, lines, waitFor } = startProgram(process.execPath, args, { env });
  await waitFor('a function that is ready', () => lines.shift());
  // T is a stopped process, Z one that exited.
  const isFrozen = () => / [TZ] /.test(readFileSync(`/proc/${child.pid}/stat`, 'utf8'));

  return {
    writes,
    /** Freezes the function, closes its connection, and thaws it with an invocation waiting. */
    async thaw(closing: Closing, seconds: number, id: number) {
      await eventually('a frozen function', () => child.kill('SIGSTOP') && isFrozen());
      // The function sees the invocation before the end of its connection.
      child.stdin.write(`${seconds} ${id}\n`);
      const open = [...sockets];
      if (closing === 'is reset') {
        for (const socket of open) {
          socket.resetAndDestroy();
        }
      }
      if (closing === 'is ended') {
        const closed = open.map((socket) => once(socket, 'close'));
        server.closeIdleConnections();
        await eventually('the close of the connections', Promise.all(closed));
      }
      child.kill('SIGCONT');
      return Number(await waitFor('a status', () => lines.shift()));
    },
  };
}

// Only Linux shows when a process is stopped.
const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('a frozen function', () => {
  let running: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    running = await start();
  });

  test.each<Closing>(['is ended', 'is reset', 'stays open'])(
    'whose connection %s writes each plant once and never returns 503',
    async (closing) => {
      const { writes, thaw } = running;
      const statuses: unknown[] = [];
      // Every second pause is longer than the 5 s after which a connection is not used again.
      for (let id = 0; id < thaws; id += 1) {
        statuses.push(await thaw(closing, id % 2 ? 0 : 6, id));
      }
      expect(statuses).toEqual(Array(thaws).fill(201));
      expect(writes.splice(0)).toEqual(statuses.map((_, id) => `${id}`));
    },
    isThorough ? 300_000 : undefined,
  );
});
