import { createServer, request } from 'node:http';
import { listen } from '../../../lib/emulator/listen.ts';

/**
 * Starts a server that passes requests on to `target` under a host name that has no DNS here.
 * Returns its origin.
 */
export async function startApiProxy(target: string, host: string) {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const forwarded = request(
      { hostname, port, method, path, headers: { ...headers, host } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      },
    );
    forwarded.on('error', (error) => outgoing.destroy(error));
    incoming.pipe(forwarded);
  });
  const origin = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  return {
    origin,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
