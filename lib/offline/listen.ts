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
    throw explainError(cause as NodeJS.ErrnoException, port, host, option);
  }
  const { port: actualPort } = server.address() as AddressInfo;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${actualPort}`;
}

/** A port cannot be used. The message is one line for people. */
export class PortError extends Error {
  override name = 'PortError';
}

function explainError(
  cause: NodeJS.ErrnoException,
  port: number,
  host: string,
  option: string,
): Error {
  const another = `Choose another with ${option}.`;
  switch (cause.code) {
    case 'EADDRINUSE':
      return new PortError(`Port ${port} is taken. ${another}`, { cause });
    case 'EACCES':
      return new PortError(`This user may not use port ${port}. ${another}`, { cause });
    case 'EADDRNOTAVAIL':
      return new Error(`${host} is not an address of this machine.`, { cause });
    default:
      return cause;
  }
}

/** Returns a listener that aborts the request, instead of stopping the process, if one throws. */
export function catchErrors(listener: RequestListener): RequestListener {
  return (request, response) => {
    try {
      listener(request, response);
    } catch (error) {
      console.error(error);
      response.destroy();
    }
  };
}
