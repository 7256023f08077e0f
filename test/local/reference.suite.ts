import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, jest, test } from '@jest/globals';
import document from '../../docs/openapi.json' with { type: 'json' };
import { isOfReference, reference } from '../../lib/local/reference/reference.ts';
import { send } from '../support/http/http-client.ts';
import { serve } from '../support/http/servers.ts';

const token = 'pst_token';
const origin = await serve(reference(token));

test.each([
  ...['/docs', '/docs/', '/docs/page.js', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js'],
  ...['/docs/openapi.json', '/', '/docs/none', '/docs/__proto__', '/docs/../package.json'],
  '/docs/%2e%2e/package.json',
])('%s has these headers, and the token only if it is the page', async (path) => {
  const { status, headers, body } = await send(origin, { path });
  const { date, ...others } = headers;
  expect({ status, headers: others }).toMatchSnapshot();
  expect(body === '').toBe(status !== 200);
  expect(body.includes(`data-token="${token}"`)).toBe(/^\/docs\/?$/.test(path));
});

test('the page has the title of the document, and loads these files', async () => {
  const { body } = await send(origin, { path: '/docs' });
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
  const { body } = await send(origin, { path: '/docs/openapi.json' });
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
