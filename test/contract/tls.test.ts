import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type SecureVersion } from 'node:tls';
import { expect, test } from '@jest/globals';
import { tryTls } from './tls.ts';

test.each<[SecureVersion, string]>([
  ['TLSv1.1', 'accepted'],
  ['TLSv1.2', 'refused'],
])('TLS 1.1 to a server that begins at %s is %s', async (minVersion, expected) => {
  // Anonymous ciphers need no certificate. They exist up to TLS 1.2.
  const server = createServer({ minVersion, maxVersion: 'TLSv1.2', ciphers: 'aNULL:@SECLEVEL=0' });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await tryTls('TLSv1.1', '127.0.0.1', port)).toBe(expected);
  server.close();
});
