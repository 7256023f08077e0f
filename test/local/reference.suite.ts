import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, jest, test } from '@jest/globals';
import document from '../../docs/openapi.json' with { type: 'json' };
import { isOfReference, reference } from '../../lib/local/reference/reference.ts';
import { send } from '../support/http/http-client.ts';
import { serve } from '../support/http/servers.ts';

const token = 'pst_token';
const serveReference = () => serve(reference(token));

const headers = {
  'cache-control': 'no-store',
  connection: 'close',
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'transfer-encoding': 'chunked',
  'x-content-type-options': 'nosniff',
};
const html = 'text/html; charset=utf-8';

test.each<[path: string, status: number, more: object]>([
  ['/', 302, { location: '/docs' }],
  ['/docs', 200, { 'content-type': html }],
  ['/docs/', 200, { 'content-type': html }],
  ['/docs/page.js', 200, { 'content-type': 'text/javascript; charset=utf-8' }],
  ['/docs/swagger-ui.css', 200, { 'content-type': 'text/css; charset=utf-8' }],
  ['/docs/swagger-ui-bundle.js', 200, { 'content-type': 'text/javascript; charset=utf-8' }],
  ['/docs/openapi.json', 200, { 'content-type': 'application/json' }],
  ['/docs/none', 404, {}],
  ['/docs/__proto__', 404, {}],
  ['/docs/../package.json', 404, {}],
  ['/docs/%2e%2e/package.json', 404, {}],
])('%s returns %i with these headers, and the token only if it is the page', async (...row) => {
  const [path, expected, more] = row;
  const { status, headers: all, body } = await send(await serveReference(), { path });
  const { date, ...others } = all;
  expect({ status, headers: others }).toEqual({
    status: expected,
    headers: { ...headers, ...more },
  });
  expect(body === '').toBe(status !== 200);
  expect(body.includes(`data-token="${token}"`)).toBe(/^\/docs\/?$/.test(path));
});

test('the page has the title of the document, and loads these files', async () => {
  const { body } = await send(await serveReference(), { path: '/docs' });
  expect(body).toContain(`<title>${document.info.title}: API reference</title>`);
  const files = [...body.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path]) => path);
  expect(files).toEqual(['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/page.js']);
});

test.each([
  ['localhost:3000', 200],
  ['localhost', 200],
  ['127.0.0.1', 200],
  ['evil.localhost', 403],
  ['127.0.0.1.evil.example', 403],
  ['localhost.evil.example:3000', 403],
])('under the host name %s, the reference returns %i, and logs a 403', async (host, status) => {
  const log = jest.spyOn(console, 'error').mockReturnValue();
  const origin = await serveReference();
  const sent = request(`${origin}/docs`, { headers: { host } }).end();
  const [response] = await once(sent, 'response');
  const body = await text(response);
  const lines = log.mock.calls.flat();
  log.mockRestore();
  expect(response.statusCode).toBe(status);
  if (status === 403) {
    expect(response.headers['content-type']).toBe('text/plain');
    expect(body).toBe(`The reference is at ${origin}/docs only.\n`);
    const line = `The reference was requested under another host name. It is at ${origin}/docs only.`;
    expect(lines).toEqual([line]);
  }
});

test('the document names the server that serves it, and no deployed one', async () => {
  const { body } = await send(await serveReference(), { path: '/docs/openapi.json' });
  expect(JSON.parse(body).servers).toEqual([{ url: '/v1' }]);
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
