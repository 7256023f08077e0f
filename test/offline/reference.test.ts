import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { expect, test } from '@jest/globals';
import { listen } from '../../lib/offline/listen.ts';
import { reference } from '../../lib/offline/reference.ts';
import { finallyDo } from '../support/cleanup.ts';
import { send } from '../support/http/http-client.ts';

const token = 'pst_token';
const server = createServer(reference(token));
finallyDo(() => server.close().closeAllConnections());
const origin = await listen(server, 0);

test('only the page has the token, and other sites cannot include it', async () => {
  const { body } = await send(origin, { path: '/docs' });
  expect(body).toContain(token);
  const parts = [...body.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = '']) => path);
  expect(parts).toHaveLength(3);
  for (const path of [...parts, '/docs/openapi.json']) {
    expect(await send(origin, { path })).toMatchObject({
      status: 200,
      headers: {
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      },
      body: expect.not.stringContaining(token),
    });
  }
});

test.each([
  ['127.0.0.1', 200],
  ['localhost:3000', 200],
  ['evil.example', 403],
  ['127.0.0.1.evil.example', 403],
  ['localhost.evil.example:3000', 403],
])('the reference for the host %s returns %i', async (host, status) => {
  const sent = request(`${origin}/docs`, { headers: { host } }).end();
  const [{ statusCode }] = (await once(sent, 'response')) as [IncomingMessage];
  expect(statusCode).toBe(status);
});

test.each([
  ['/docs/', 200],
  ['/docs/none', 404],
  ['/docs/__proto__', 404],
  ['/docs/../package.json', 404],
  ['/docs/%2e%2e/package.json', 404],
  ['/', 302],
])('%s of the reference returns %i', async (path, status) => {
  expect((await send(origin, { path })).status).toBe(status);
});
