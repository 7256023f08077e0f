import { expect, test } from '@jest/globals';
import { makeToken } from '../../../functions/access-tokens/token.ts';
import { type Call, send, target } from '../api-client.ts';
import { settle } from '../settled.ts';
import { tryTls } from '../tls.ts';

// The emulator answers these as we expect AWS to. Only a deployed stack can show that AWS does.

interface Question {
  what: string;
  /** More than one, if AWS may choose. */
  expected: string[];
  find: () => Promise<string>;
}

const ask = (what: string, request: Call, ...expected: string[]): Question => ({
  what,
  expected,
  async find() {
    const { status, json } = await send(request);
    const { type = '' } = (json ?? {}) as { type?: string };
    return `${status} ${type.replace('urn:problem-type:plant-store:', '')}`.trim();
  },
});

const bearer = (token: string): [string, string] => ['Authorization', `Bearer ${token}`];
const upload = (megabytes: number): Call => ({
  method: 'POST',
  path: '/plants',
  headers: [['Content-Type', 'application/json']],
  body: 'a'.repeat(megabytes * 1024 * 1024),
});

const askForRequestId = (what: string, token: string | null): Question => ({
  what,
  expected: ['not taken over'],
  async find() {
    const chosen = 'chosen-by-the-client';
    const { headers, body } = await send({
      method: 'GET',
      path: '/plants',
      token,
      headers: [['x-amzn-RequestId', chosen]],
    });
    return `${headers['x-request-id']} ${body}`.includes(chosen) ? 'taken over' : 'not taken over';
  },
});

const { protocol, hostname, port } = new URL(target.baseUrl);
const questions: Question[] = [
  ask('an unknown path with a token', { method: 'GET', path: '/nothing' }, '404 no-such-operation'),
  ask(
    'an unknown method with a token',
    { method: 'PUT', path: '/plants' },
    '404 no-such-operation',
  ),
  ask('HEAD', { method: 'HEAD', path: '/plants' }, '404'),
  ask('a list at /plants/', { method: 'GET', path: '/plants/' }, '200'),
  ask('a delete at /plants/7/', { method: 'DELETE', path: '/plants/7/' }, '404 plant-not-found'),
  ask(
    'two Authorization headers, the second of them refused',
    {
      method: 'GET',
      path: '/plants',
      token: null,
      headers: [bearer(target.token), bearer(makeToken().token)],
    },
    '401 unauthorized',
    '200',
  ),
  ask('a body of 8 MB', upload(8), '413 content-too-large'),
  ask('a body of 11 MB', upload(11), '413'),
  askForRequestId('a request id that the client chooses', target.token),
  askForRequestId('a request id that the client chooses, in a 401', null),
];
if (protocol === 'https:')
  questions.push({
    what: 'TLS 1.1',
    expected: ['refused'],
    find: () => tryTls('TLSv1.1', hostname, Number(port || 443)),
  });

if (!target.isSam)
  test.each(questions)('only AWS settles: $what', async ({ what, expected, find }) => {
    const found = await settle(what, expected, find);
    expect(expected).toContain(found);
  });
