import { test } from '@jest/globals';
import { call, create, places, problemOf, type Reply, remove, send } from './api.ts';
import { findings } from './found.ts';

const json: [string, string][] = [['Content-Type', 'application/json']];
const megabytes = (count: number) => 'a'.repeat(count * 1024 * 1024);

const summary = ({ status, headers, json: body }: Reply) => {
  const { type } = (body ?? {}) as { type?: string };
  return `${status}, ${headers['content-type'] ?? 'no content type'}${type ? `, ${type}` : ''}`;
};

const questions: [what: string, find: () => Promise<string>][] = [
  [
    'an unknown path with a bearer token',
    async () => summary(await send({ method: 'GET', path: '/nothing' })),
  ],
  [
    'an unknown method with a bearer token',
    async () => summary(await send({ method: 'PUT', path: '/plants' })),
  ],
  [
    'a successful delete',
    async () => {
      await create({ id: 7, name: 'Aloe' });
      return summary(await remove(7));
    },
  ],
  [
    'a body of 7 MB',
    async () =>
      summary(await send({ method: 'POST', path: '/plants', headers: json, body: megabytes(7) })),
  ],
  [
    'a body of 11 MB',
    async () =>
      summary(await send({ method: 'POST', path: '/plants', headers: json, body: megabytes(11) })),
  ],
  [
    'the request id of a gateway response',
    async () => {
      const { headers, json: body } = await send({ method: 'GET', path: '/plants', token: null });
      const { instance } = (body ?? {}) as { instance?: string };
      return `X-Request-Id ${headers['x-request-id']}, x-amzn-RequestId ${headers['x-amzn-requestid']}, instance ${instance}`;
    },
  ],
  [
    'a request id that the client chooses',
    async () => {
      const { headers } = await send({
        method: 'GET',
        path: '/plants',
        headers: [['x-amzn-RequestId', 'chosen']],
      });
      return `${headers['x-request-id'] === 'chosen' ? '' : 'not '}taken over`;
    },
  ],
  [
    'a name with bytes that are not UTF-8',
    async () => {
      const reply = await call({
        method: 'POST',
        path: '/plants',
        headers: json,
        body: Buffer.from('{"id":7,"name":"\xE9"}', 'latin1'),
      });
      return `${reply.status}, ${problemOf(reply)} at ${places(reply)}`;
    },
  ],
  [
    'a slash at the end of the path (403 if the policy has to name it)',
    async () => summary(await send({ method: 'GET', path: '/plants/' })),
  ],
  ['HEAD', async () => `${(await send({ method: 'HEAD', path: '/plants' })).status}`],
  ['OPTIONS', async () => summary(await send({ method: 'OPTIONS', path: '/plants', token: null }))],
];

test.each(questions)('finding: %s', async (what, find) => {
  findings.push(`${what}: ${await find().catch((error: Error) => error.message)}`);
});
