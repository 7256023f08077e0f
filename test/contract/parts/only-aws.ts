import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { expect, test } from '@jest/globals';
import { makeToken } from '../../../functions/access-tokens/token.ts';
import { type Call, problemOf, send, target } from '../api-client.ts';
import { settle } from '../settled.ts';

// The emulator answers these as we expect AWS to. Only a deployed stack can show that AWS does.

interface Question {
  what: string;
  request: Call;
  /** The answers between which AWS may choose. */
  expected: string[];
}

const bearer = (token: string): [string, string] => ['Authorization', `Bearer ${token}`];
const upload = (megabytes: number): Call => ({
  method: 'POST',
  path: '/plants',
  headers: [['Content-Type', 'application/json']],
  body: 'a'.repeat(megabytes * 1024 * 1024),
});

const questions: Question[] = [
  {
    what: 'an unknown path with a token',
    request: { method: 'GET', path: '/nothing' },
    expected: ['404 no-such-operation'],
  },
  { what: 'HEAD', request: { method: 'HEAD', path: '/plants' }, expected: ['404'] },
  {
    what: 'two Authorization headers, the second of them refused',
    request: {
      method: 'GET',
      path: '/plants',
      token: null,
      headers: [bearer(target.token), bearer(makeToken().token)],
    },
    expected: ['401 unauthorized', '200'],
  },
  { what: 'a body of 8 MB', request: upload(8), expected: ['413 content-too-large'] },
  { what: 'a body of 11 MB', request: upload(11), expected: ['413'] },
];

const ask = (what: string, expected: string[], find: () => Promise<string>) =>
  test(`only AWS settles: ${what}`, async () => {
    expect(expected).toContain(await settle(what, expected, find));
  });

if (!target.isSam) {
  for (const { what, request, expected } of questions) {
    ask(what, expected, async () => {
      const reply = await send(request);
      return `${reply.status} ${problemOf(reply)}`.trim();
    });
  }
}

const { protocol, hostname: host, port } = new URL(target.baseUrl);
if (protocol === 'https:') {
  ask('TLS 1.1', ['refused'], () => {
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
    return accepted.catch(() => 'refused').finally(() => socket.destroy());
  });
}
