import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { expect, test } from '@jest/globals';
import { codeOf, type Header, json, type Options, send } from './api-client.ts';
import { isDeployed, isSam, target, unknownToken } from './target.ts';

// Requests of which only a deployed stack can show how AWS answers them.

const bearer = (token: string): Header => ['Authorization', `Bearer ${token}`];
const megabytes = (count: number) => ({ headers: [json], body: 'a'.repeat(count * 1024 * 1024) });

const questions: [what: string, line: string, options: () => Options, expected: string[]][] = [
  ['an unknown path with a token', 'GET /nothing', () => ({}), ['404 no-such-operation']],
  ['HEAD', 'HEAD /plants', () => ({}), ['404']],
  [
    'two Authorization headers, the second of them refused',
    'GET /plants',
    () => ({ token: null, headers: [bearer(target.token), bearer(unknownToken)] }),
    ['401 unauthorized', '200'],
  ],
  ['a body of 8 MB', 'POST /plants', () => megabytes(8), ['413 content-too-large']],
  ['a body of 11 MB', 'POST /plants', () => megabytes(11), ['413']],
];

if (!isSam) {
  test.each(questions)('only AWS settles: %s', async (_, line, options, expected) => {
    const reply = await send(line, options());
    expect(expected).toContain(`${reply.status} ${codeOf(reply)}`.trim());
  });
}

if (isDeployed) {
  test('only AWS settles: TLS 1.1 is refused', async () => {
    const { protocol, hostname: host, port } = new URL(target.baseUrl);
    // A stand-in for AWS may have no TLS.
    if (protocol !== 'https:') {
      return;
    }
    const socket = connect({
      host,
      port: Number(port || 443),
      // TLS knows no addresses.
      servername: isIP(host) ? undefined : host,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      // OpenSSL itself refuses old versions above this security level.
      ciphers: 'ALL:@SECLEVEL=0',
    });
    const accepted = once(socket, 'secureConnect').then(() => 'accepted');
    expect(await accepted.catch(() => 'refused').finally(() => socket.destroy())).toBe('refused');
  });
}
