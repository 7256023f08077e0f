import { Agent } from 'node:http';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, jest, test } from '@jest/globals';
import { catchErrors, isNear, listen } from '../../lib/local/listen.ts';
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

test('a taken port fails with one line', async () => {
  const { port } = new URL(await serve(() => {}));
  const line = `Port ${port} is taken. Choose another with --port.`;
  await expect(listen(createServer(), Number(port))).rejects.toThrow(line);
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

test('a server closes a connection from another network', async () => {
  const server = createServer();
  await listen(server, 0);
  finallyDo(() => server.close());
  const destroy = jest.fn();
  server.emit('connection', { remoteAddress: '203.0.113.9', localAddress: '127.0.0.1', destroy });
  expect(destroy).toHaveBeenCalledTimes(1);
});

const lan = { address: '10.1.2.3', cidr: '10.1.2.3/24' };
const lanV6 = { address: '2001:db8:1::3', cidr: '2001:db8:1::3/64' };
const bridge = { address: '172.17.0.1', cidr: '172.17.0.1/16' };
const callers = [
  ...['127.8.0.1', '::1', '10.1.2.3', '10.1.2.77', '10.1.3.3'],
  ...['172.17.0.2', '172.18.0.2', '2001:db8:1::9', '2001:db8:2::3'],
];

test.each([
  { to: '127.0.0.1', served: ['127.8.0.1', '::1'] },
  { to: '::1', served: ['127.8.0.1', '::1'] },
  { to: '10.1.2.3', served: ['127.8.0.1', '::1', '10.1.2.3', '10.1.2.77'] },
  { to: '172.17.0.1', served: ['127.8.0.1', '::1', '10.1.2.3', '172.17.0.2'] },
  { to: '2001:db8:1::3', served: ['127.8.0.1', '::1', '10.1.2.3', '2001:db8:1::9'] },
  // Docker's bridge, without a container.
  { to: '203.0.113.1', served: ['127.8.0.1', '::1', '10.1.2.3'] },
])('a server at $to serves $served', ({ to, served }) => {
  const findInterfaces = () => ({ eth0: [lan, lanV6], docker0: [bridge], down: undefined });
  const isServed = (remoteAddress: string) =>
    isNear({ remoteAddress, localAddress: to }, findInterfaces);
  expect(callers.filter(isServed)).toEqual(served);
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
