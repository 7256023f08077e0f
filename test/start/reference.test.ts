import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { expect, test } from '@jest/globals';
import { apiReference } from '../../bin/start/reference/reference.ts';
import { listen } from '../../lib/offline/http/listen.ts';
import { finallyDo } from '../support/cleanup.ts';

const token = 'pst_token';
const handle = apiReference(token);
const server = createServer((incoming, response) => {
  if (!handle(incoming, response)) {
    response.writeHead(418).end();
  }
});
const port = await listen(server, 0, '127.0.0.1');
finallyDo(() => server.close());

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const answer = Promise.withResolvers<{ body: string; headers: IncomingHttpHeaders }>();
  request({ port, path, method, headers }, async (response) => {
    const body = Buffer.concat(await response.toArray()).toString();
    const { statusCode: status, headers } = response;
    answer.resolve(Object.assign({ status, body, headers }));
  }).end();
  return answer.promise;
}

test.each(['127.0.0.1', '127.0.0.1:3000', 'localhost', 'localhost:3000'])(
  'the reference answers for the host %s',
  async (host) => {
    const body = expect.stringContaining(token);
    expect(await get('/docs', { host })).toMatchObject({ status: 200, body });
  },
);

test.each(['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:3000'])(
  'the reference refuses the host "%s"',
  async (host) => {
    for (const path of ['/docs', '/docs/page.js', '/docs/none']) {
      expect(await get(path, { host })).toMatchObject({ status: 403, body: '' });
    }
  },
);

test('the token is in the HTML alone, which other sites cannot include', async () => {
  const { body } = await get('/docs');
  const parts = [...body.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = '']) => path);
  expect(parts).toHaveLength(4);
  for (const path of [...parts, '/docs/openapi.json']) {
    expect(await get(path)).toMatchObject({
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

const html = { accept: 'text/html,*/*' };
test.each<{ path: string; headers: Record<string, string>; status: number; method?: string }>([
  { path: '/docs/none', headers: {}, status: 404 },
  { path: '/docs/constructor', headers: {}, status: 404 },
  { path: '/docs/../package.json', headers: {}, status: 404 },
  { path: '/docs/%2e%2e/package.json', headers: {}, status: 404 },
  { path: '/docs', headers: {}, status: 405, method: 'POST' },
  { path: '/', headers: {}, status: 302 },
  { path: '/docs/', headers: {}, status: 302 },
  { path: '/v1', headers: html, status: 302 },
  { path: '/v1/', headers: html, status: 302 },
  // These are left to the API.
  { path: '/v1/plants', headers: {}, status: 418 },
  { path: '/docsx', headers: {}, status: 418 },
  { path: '/v1', headers: {}, status: 418 },
  { path: '/v1/', headers: {}, status: 418 },
])('the reference answers $path with $headers and $status', async (request) => {
  const { path, headers, status, method } = request;
  const location = status === 302 ? '/docs' : undefined;
  const { headers: answered, ...answer } = await get(path, headers, method);
  expect({ ...answer, location: answered.location }).toEqual({ status, body: '', location });
});
