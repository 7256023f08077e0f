import { createServer } from 'node:net';
import { listen } from '../../../lib/local/listen.ts';

/** Returns a port that no server uses at the moment. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer();
  const origin = await listen(server, 0, host).finally(() => server.close());
  return Number(new URL(origin).port);
}
