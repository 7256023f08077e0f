import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, BlockList, isIPv6, type Server, type Socket } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

/**
 * Makes a server listen on a port (0 for any free port), for this machine and the subnet of the
 * address. Returns its origin, like `http://127.0.0.1:3000`. Rejects with one line for people.
 * `option` is the command-line option that chooses another port.
 */
export async function listen(
  server: Server,
  port: number,
  host = '127.0.0.1',
  option = '--port',
): Promise<string> {
  server.prependListener('connection', refuseOtherNetworks);
  try {
    await once(server.listen(port, host), 'listening');
  } catch (cause) {
    throw explainError(cause as NodeJS.ErrnoException, port, host, option);
  }
  const { address, port: actualPort } = server.address() as AddressInfo;
  return `http://${isIPv6(address) ? `[${address}]` : address}:${actualPort}`;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Closes a connection from another network. */
function refuseOtherNetworks(socket: Socket): void {
  if (!isNear(socket, networkInterfaces)) {
    socket.destroy();
  }
}

/**
 * Returns whether a connection comes from this machine, or from the subnet of the address that it
 * called, as that of a container does. Linux accepts packets for each of its addresses on every
 * interface, so a neighbour in the LAN could call the address of Docker's bridge.
 */
export function isNear(
  { remoteAddress = '', localAddress }: Pick<Socket, 'remoteAddress' | 'localAddress'>,
  findInterfaces: () => NodeJS.Dict<Pick<NetworkInterfaceInfo, 'address' | 'cidr'>[]>,
): boolean {
  if (isInside(loopback, remoteAddress)) {
    return true;
  }
  const addresses = Object.values(findInterfaces()).flatMap((list = []) => list);
  // Docker's rules give a call from this machine to its bridge the address of another interface.
  const isFromHere = addresses.some(({ address }) => address === remoteAddress);
  if (isFromHere && !isInside(loopback, `${localAddress}`)) {
    return true;
  }
  // Node lists Docker's bridge only while a container runs.
  const called = addresses.find(({ address }) => address === localAddress);
  const subnet = new BlockList();
  if (called?.cidr) {
    const prefix = Number(called.cidr.split('/')[1]);
    subnet.addSubnet(called.address, prefix, isIPv6(called.address) ? 'ipv6' : 'ipv4');
  }
  return isInside(subnet, remoteAddress);
}

function isInside(networks: BlockList, address: string): boolean {
  return networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
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
      return new Error(`Port ${port} is taken. ${another}`, { cause });
    case 'EACCES':
      return new Error(`This user may not use port ${port}. ${another}`, { cause });
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
