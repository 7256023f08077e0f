import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../support/service/service.ts';

const origin = 'https://plants.example';
const shared = {
  'access-control-allow-origin': origin,
  'access-control-expose-headers': 'Link, Location, Retry-After, X-Request-Id',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'strict-transport-security': 'max-age=63072000',
  'x-content-type-options': 'nosniff',
  'x-request-id': expect.stringMatching(/^[\w-]{36}$/),
};

let service: Service;
beforeAll(async () => {
  service = await startService({ corsOrigin: origin });
});
afterAll(() => service?.stop());

test.each([
  { method: 'POST', path: '/plants', from: origin },
  { method: 'GET', path: '/plants', from: origin },
  { method: 'DELETE', path: '/plants/7', from: origin },
  { method: 'POST', path: '/plants', from: 'https://b.io' },
])(
  'a preflight for $method $path from $from needs no token and names the one origin',
  async ({ method, path, from }) => {
    const response = await fetch(service.baseUrl + path, {
      method: 'OPTIONS',
      headers: {
        Origin: from,
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization,content-type',
      },
    });
    expect([response.status, await response.text()]).toEqual([204, '']);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      ...shared,
      'access-control-allow-headers': 'Authorization,Content-Type',
      'access-control-max-age': '3600',
    });
    expect(headers['access-control-allow-methods']?.split(',')).toContain(method);
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  },
);

test('a page can read answers of functions and of the gateway', async () => {
  const authorized = { Authorization: `Bearer ${await service.issue('alice')}` };
  const calls: [path: string, init: RequestInit, status: number][] = [
    ['/plants', { headers: authorized }, 200],
    ['/plants?limit=0', { headers: authorized }, 400],
    ['/plants', {}, 401],
  ];
  for (const [path, init, status] of calls) {
    const response = await fetch(service.baseUrl + path, init);
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject(shared);
  }
});
