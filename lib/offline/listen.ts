import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, isIPv6, type Server } from 'node:net';

/**
 * Makes a server listen on a port (0 for any free port). Returns its origin, like
 * `http://127.0.0.1:3000`. Rejects with one line for people. `option` is the command-line option
 * that chooses another port.
 */
export async function listen(
  server: Server,
  port: number,
  host = '127.0.0.1',
  option = '--port',
): Promise<string> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (cause) {
    throw explained(cause as NodeJS.ErrnoException, port, host, option);
  }
  const { port: actualPort } = server.address() as AddressInfo;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${actualPort}`;
}

function explained(
  cause: NodeJS.ErrnoException,
  port: number,
  host: string,
  option: string,
): Error {
  switch (cause.code) {
    case 'EADDRINUSE':
      return new Error(`Port ${port} is taken. Choose another with ${option}.`, { cause });
    case 'EACCES':
      return new Error(`This user may not use port ${port}. Choose another with ${option}.`, {
        cause,
      });
    case 'EADDRNOTAVAIL':
      return new Error(`${host} is not an address of this machine.`, { cause });
    default:
      return cause;
  }
}

/** Returns a listener that aborts the request, instead of stopping the process, if one throws. */
export function caught(listener: RequestListener): RequestListener {
  return (request, response) => {
    try {
      listener(request, response);
    } catch (error) {
      console.error(error);
      response.destroy();
    }
  };
}
