import { once } from 'node:events';
import { Agent, get } from 'node:https';
import { expect, test } from '@jest/globals';
import { type Header, json, type Options, readCode, send } from './api-client.ts';
import { isDeployed, isSam, proxy, tested, unknownToken } from './tested-store.ts';

// Requests to which only a deployed stack can show the response of AWS.

const bearer = (token: string): Header => ['Authorization', `Bearer ${token}`];
const megabytes = (count: number) => ({ headers: [json], body: 'a'.repeat(count * 1024 * 1024) });

const questions: [what: string, line: string, options: () => Options, expected: string[]][] = [
  ['an unknown path with a token', 'GET /nothing', () => ({}), ['404 no-such-operation']],
  ['HEAD', 'HEAD /plants', () => ({}), ['404']],
  [
    'two Authorization headers, the second of them rejected',
    'GET /plants',
    () => ({ token: null, headers: [bearer(tested.token), bearer(unknownToken)] }),
    ['401 unauthorized', '200'],
  ],
  [
    'a create without Content-Type',
    'POST /plants',
    () => ({ body: '{}' }),
    ['415 unsupported-media-type', '400 invalid-request', '400', '403'],
  ],
  // There is no record of API Gateway's response to a request line that it cannot read.
  ['%% in a path', 'PATCH /plants/%%', () => ({}), ['404 no-such-operation', '400']],
  [
    'a raw { in a query',
    'GET /plants?{',
    () => ({}),
    ['400 invalid-request', '404 no-such-operation', '400'],
  ],
];
const largeBodies: typeof questions = [
  ['a body of 8 MB', 'POST /plants', () => megabytes(8), ['413 content-too-large']],
  ['a body of 11 MB', 'POST /plants', () => megabytes(11), ['413']],
];

if (!isSam) {
  test.each(isDeployed ? [...questions, ...largeBodies] : questions)(
    'only AWS settles: %s',
    async (_, line, options, expected) => {
      const response = await send(line, options());
      expect(expected).toContain(`${response.status} ${readCode(response)}`.trim());
    },
  );
}

if (isDeployed) {
  test('only AWS settles: TLS 1.1 is rejected', async () => {
    // An AWS emulator may have no TLS.
    if (!tested.baseUrl.startsWith('https:')) {
      return;
    }
    const request = get(tested.baseUrl, {
      // A new connection, through the same proxy as the others.
      agent: new Agent({ ...(proxy && { proxyEnv: proxy }) }),
      rejectUnauthorized: false,
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      // Above this security level, OpenSSL itself rejects old versions.
      ciphers: 'ALL:@SECLEVEL=0',
    });
    const accepted = once(request, 'response').then(() => 'accepted');
    expect(await accepted.catch(() => 'rejected').finally(() => request.destroy())).toBe(
      'rejected',
    );
  });
}
