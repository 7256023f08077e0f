import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/**
 * Makes a server listen on a port, or on any free one if it is 0, and returns the port. Rejects
 * with one line for people if the port is taken.
 */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${port} is taken: another program listens on it.`, { cause: error });
  }
  return (server.address() as AddressInfo).port;
}
