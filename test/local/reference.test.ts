import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { apiReference } from '../../bin/local/reference/reference.ts';
import { listen } from '../../lib/emulator/listen.ts';

const token = 'pst_token';

describe('the reference', () => {
  const handle = apiReference(token);
  const server = createServer((incoming, response) => {
    if (!handle(incoming, response)) response.writeHead(418).end();
  });
  beforeAll(() => listen(server, 0, '127.0.0.1'));
  afterAll(() => void server.close());

  async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
    const { port } = server.address() as AddressInfo;
    const answer = Promise.withResolvers<[number, string, IncomingHttpHeaders]>();
    request({ port, path, method, headers }, async (response) => {
      const body = Buffer.concat(await response.toArray()).toString();
      answer.resolve([response.statusCode ?? 0, body, response.headers]);
    }).end();
    const [status, body, responseHeaders] = await answer.promise;
    return { status, body, headers: responseHeaders };
  }

  test.each(['127.0.0.1', '127.0.0.1:3000', 'localhost', 'localhost:3000'])(
    'answers for the host %s',
    async (host) => {
      const { status, body } = await get('/docs', { host });
      expect(status).toBe(200);
      expect(body).toContain(token);
    },
  );

  test.each(['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:3000'])(
    'refuses the host "%s"',
    async (host) => {
      for (const path of ['/docs', '/docs/page.js', '/docs/none'])
        expect(await get(path, { host })).toMatchObject({ status: 403, body: '' });
    },
  );

  test('tells the token in its HTML alone, which other sites cannot include', async () => {
    const { body } = await get('/docs');
    const parts = [...body.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(parts).toHaveLength(4);
    for (const path of [...parts, '/docs/openapi.json']) {
      const part = await get(path);
      expect(part).toMatchObject({
        status: 200,
        headers: {
          'cross-origin-resource-policy': 'same-origin',
          'x-content-type-options': 'nosniff',
          'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
        },
      });
      expect(part.body).not.toContain(token);
    }
  });

  test.each([
    '/docs/none',
    '/docs/constructor',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
  ])('does not have %s', async (path) => {
    expect(await get(path)).toMatchObject({ status: 404, body: '' });
  });

  test('is read only', async () => {
    expect((await get('/docs', {}, 'POST')).status).toBe(405);
  });

  test.each([
    ['/', {}],
    ['/docs/', {}],
    ['/v1', { accept: 'text/html,*/*' }],
    ['/v1/', { accept: 'text/html,*/*' }],
  ])('is where %s leads with %j', async (path, headers) => {
    expect(await get(path, headers)).toMatchObject({ status: 302, headers: { location: '/docs' } });
  });

  test.each(['/v1/plants', '/docsx', '/v1', '/v1/'])('leaves %s to the API', async (path) => {
    expect((await get(path)).status).toBe(418);
  });
});
