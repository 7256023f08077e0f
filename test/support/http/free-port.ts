import { createServer } from 'node:net';
import { listen } from '../../../lib/offline/http/listen.ts';

/** Returns a port on which nothing listens at the moment. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer();
  return listen(server, 0, host).finally(() => server.close());
}
