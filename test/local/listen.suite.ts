import { Agent } from 'node:http';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, jest, test } from '@jest/globals';
import { catchErrors, listen } from '../../lib/local/listen.ts';
import { finallyDo } from '../support/cleanup.ts';
import { send } from '../support/http/http-client.ts';
import { serve } from '../support/http/servers.ts';

test.each([
  ['EACCES', 'This user may not use port 80. Choose another with --dynamodb-port.'],
  ['EMFILE', 'listen failed'],
])('the error %s fails with one line: %s', async (code, line) => {
  const server = createServer();
  const failed = Object.assign(new Error('listen failed'), { code });
  // Root may use every port, and some systems give each user all of them.
  jest.spyOn(server, 'listen').mockImplementation(() => {
    setImmediate(() => server.emit('error', failed));
    return server;
  });
  const error = await listen(server, 80, '127.0.0.1', '--dynamodb-port').catch((error) => error);
  expect([error.message, error.cause ?? error]).toEqual([line, failed]);
});

const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list);
const outer = addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address;
// Other systems send nothing to the loopback address from another one.
const testOuter = process.platform === 'linux' && outer !== undefined ? test : test.skip;

testOuter('a server on loopback serves no request from another network', async () => {
  const origin = await serve((_, response) => response.end());
  expect((await send(origin, { path: '/' })).status).toBe(200);
  const agent = new Agent({ localAddress: `${outer}` });
  await expect(send(origin, { path: '/' }, agent)).rejects.toThrow(/socket hang up|ECONNRESET/);
});

const flip = (digit: string) => (Number.parseInt(digit, 16) ^ 1).toString(16);
// A subnet of one address has no neighbours.
const outers = addresses.filter(
  ({ internal, cidr }) => !internal && !/^fe80|\/(32|128)$/.test(`${cidr}`),
);

test('a server closes a connection from another network, or from another interface to loopback', async () => {
  const server = createServer();
  await listen(server, 0);
  finallyDo(() => server.close());
  const isServed = (remoteAddress: string, localAddress: string) => {
    const destroy = jest.fn();
    server.emit('connection', { remoteAddress, localAddress, destroy });
    return destroy.mock.calls.length === 0;
  };
  for (const { address } of outers) {
    const neighbour = address.replace(/\w$/, flip);
    const stranger = address.replace(/\w(?=[.:])/, flip);
    const here = outers.map((own) => own.address);
    const callers = ['127.8.0.1', '::1', ...here, neighbour, stranger];
    const served = (to: string) => callers.filter((caller) => isServed(caller, to));
    expect(served(address)).toEqual(['127.8.0.1', '::1', ...here, neighbour]);
    expect(served('127.0.0.1')).toEqual(['127.8.0.1', '::1']);
    // Docker's bridge, without a container.
    expect(served('203.0.113.1')).toEqual(['127.8.0.1', '::1', ...here]);
  }
});

test('a listener that throws aborts its request, and its error is printed', async () => {
  const error = new Error('broken');
  const printed = jest.spyOn(console, 'error').mockReturnValue();
  const origin = await serve(
    catchErrors(() => {
      throw error;
    }),
  );
  await expect(send(origin, { path: '/' })).rejects.toThrow('socket hang up');
  expect(printed.mock.calls).toEqual([[error]]);
  printed.mockRestore();
});
