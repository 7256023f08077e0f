import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns a port on which nothing listens at the moment. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
