import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { expect, test } from '@jest/globals';
import { listen } from '../../lib/offline/listen.ts';
import { isOfReference, reference } from '../../lib/offline/reference.ts';
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
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/page.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/openapi.json', 'application/json'],
])('%s has the type %s', async (path, type) => {
  expect((await send(origin, { path })).headers['content-type']).toBe(type);
});

test('/ redirects to /docs', async () => {
  expect(await send(origin, { path: '/' })).toMatchObject({
    status: 302,
    headers: { location: '/docs' },
  });
});

test('the document names the server that serves it, and no deployed one', async () => {
  const { body } = await send(origin, { path: '/docs/openapi.json' });
  expect(JSON.parse(body).servers).toEqual([{ url: '/v1' }]);
});

test.each([
  ['/', true],
  ['/?x=1', true],
  ['/docs', true],
  ['/docs/', true],
  ['/docs/openapi.json', true],
  ['/docsx', false],
  ['/v1/plants', false],
  ['//docs', false],
])('%s is of the reference: %s', (url, expected) => {
  expect(isOfReference(url)).toBe(expected);
});

test.each([
  ['/docs/', 200],
  ['/docs/none', 404],
  ['/docs/__proto__', 404],
  ['/docs/../package.json', 404],
  ['/docs/%2e%2e/package.json', 404],
])('%s of the reference returns %i', async (path, status) => {
  expect((await send(origin, { path })).status).toBe(status);
});
