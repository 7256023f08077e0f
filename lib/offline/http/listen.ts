import { once } from 'node:events';
import { type AddressInfo, isIPv6, type Server } from 'node:net';

/** Returns a host as a URL has it. */
export const inUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

/**
 * Makes a server listen on a port, or on any free one if it is 0, and returns the port. Rejects
 * with one line for people if the port is taken or forbidden, or if the host is not this machine.
 */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    throw explained(error as NodeJS.ErrnoException, port, host);
  }
  return (server.address() as AddressInfo).port;
}

function explained(cause: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (cause.code) {
    case 'EADDRINUSE':
      return new Error(`Port ${port} is taken: another program listens on it.`, { cause });
    case 'EACCES':
      return new Error(`Port ${port} is not allowed for this user.`, { cause });
    case 'EADDRNOTAVAIL':
    case 'EAI_AGAIN':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
    case 'ENOTFOUND':
      return new Error(`${host} is not an address of this machine.`, { cause });
    default:
      return cause;
  }
}
