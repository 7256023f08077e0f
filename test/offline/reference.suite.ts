import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, jest, test } from '@jest/globals';
import document from '../../docs/openapi.json' with { type: 'json' };
import { isOfReference, reference } from '../../lib/offline/reference.ts';
import { send } from '../support/http/http-client.ts';
import { serve } from '../support/http/servers.ts';

const token = 'pst_token';
const origin = await serve(reference(token));

test.each([
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/', 'text/html; charset=utf-8'],
  ['/docs/page.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['/docs/openapi.json', 'application/json'],
])('%s is %s, and has the token only if it is the page', async (path, type) => {
  const { status, headers, body } = await send(origin, { path });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'content-type': type,
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  expect(body).not.toBe('');
  expect(body.includes(`data-token="${token}"`)).toBe(type.startsWith('text/html'));
});

test('the page and the document have the same title', async () => {
  const { body } = await send(origin, { path: '/docs' });
  expect(body).toContain(`<title>${document.info.title}: API reference</title>`);
});

test('the page loads these files', async () => {
  const { body } = await send(origin, { path: '/docs' });
  const files = [...body.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path]) => path);
  expect(files).toEqual(['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/page.js']);
});

test.each(['localhost:3000', 'localhost', '127.0.0.1'])(
  'the reference is served under %s',
  async (host) => {
    const sent = request(`${origin}/docs`, { headers: { host } }).end();
    const [{ statusCode }] = await once(sent, 'response');
    expect(statusCode).toBe(200);
  },
);

test.each(['evil.localhost', '127.0.0.1.evil.example', 'localhost.evil.example:3000'])(
  'under the host name %s, the reference returns 403 with its address, and logs it',
  async (host) => {
    const log = jest.spyOn(console, 'error').mockReturnValue();
    const sent = request(`${origin}/docs`, { headers: { host } }).end();
    const [response] = await once(sent, 'response');
    expect(response.statusCode).toBe(403);
    expect(response.headers['content-type']).toBe('text/plain');
    expect(await text(response)).toBe(`The reference is at ${origin}/docs only.\n`);
    const line = `The reference was requested under another host name. It is at ${origin}/docs only.`;
    expect(log.mock.calls).toEqual([[line]]);
    log.mockRestore();
  },
);

test('the document names the server that serves it, and no deployed one', async () => {
  const { body } = await send(origin, { path: '/docs/openapi.json' });
  expect(JSON.parse(body).servers).toEqual([{ url: '/v1' }]);
});

test.each([
  { path: '/', expected: { status: 302, headers: { location: '/docs' } } },
  { path: '/docs/none', expected: { status: 404 } },
  { path: '/docs/__proto__', expected: { status: 404 } },
  { path: '/docs/../package.json', expected: { status: 404 } },
  { path: '/docs/%2e%2e/package.json', expected: { status: 404 } },
])('$path returns $expected.status', async ({ path, expected }) => {
  expect(await send(origin, { path })).toMatchObject(expected);
});

test.each([
  ['/', true],
  ['/?x=1', true],
  ['/docs', true],
  ['/docs/openapi.json', true],
  ['/docsx', false],
  ['/v1/plants', false],
  ['//docs', false],
])('%s is of the reference: %s', (url, expected) => {
  expect(isOfReference(url)).toBe(expected);
});
