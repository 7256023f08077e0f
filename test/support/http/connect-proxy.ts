import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listen } from '../../../lib/local/listen.ts';
import { finallyDo } from '../cleanup.ts';

/** Handles a CONNECT request instead of the proxy. */
type Refusal = (socket: Socket) => unknown;

/** Starts a proxy for HTTPS, for the test file. */
export async function startConnectProxy() {
  /** The host and port of each CONNECT request so far. */
  const asked: string[] = [];
  /**
   * Refusals of the next CONNECT requests for a host and port. Without them, the proxy connects.
   */
  const refusals = new Map<string, Refusal[]>();
  const sockets: Socket[] = [];
  const server = createServer().on('connect', ({ url = '' }, socket: Socket) => {
    asked.push(url);
    sockets.push(socket.on('error', () => {}));
    const refusal = refusals.get(url)?.shift();
    if (refusal) {
      refusal(socket);
      return;
    }
    const { hostname, port } = new URL(`https://${url}`);
    const server = connect(Number(port || 443), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(server).pipe(socket);
    });
    // A reset on one side becomes a reset on the other. Node never closes a socket that is reset
    // during its shutdown: the process would wait for it at its exit for ever.
    server.on('error', () => (socket.writableEnded ? socket.destroy() : socket.resetAndDestroy()));
    socket.on('close', () => server.destroy());
    sockets.push(server);
  });
  const origin = await listen(server, 0);
  finallyDo(() => {
    server.close();
    for (const socket of sockets) {
      socket.destroy();
    }
  });
  return { origin, asked, refusals };
}
