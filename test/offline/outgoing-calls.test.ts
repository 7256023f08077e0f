import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { startThread } from '../../lib/offline/lambda/function-thread.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { serve } from '../support/http/servers.ts';

const folder = temporaryFolder();
writeFileSync(
  join(folder, 'index.mjs'),
  `import { get } from 'node:http';
  import { connect } from 'node:net';
  import { connect as connectTls } from 'node:tls';
  import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

  const lookup = (name, options, done) => done(null, [{ address: '169.254.169.254', family: 4 }]);
  const outcome = (start) =>
    new Promise((resolve) => {
      const socket = start();
      socket.setTimeout(5000, () => resolve('silence'));
      socket.on('error', ({ code }) => resolve(code));
      socket.on('response', () => resolve('response'));
    });
  const ways = {
    net: (host) => connect(443, host),
    options: (host) => connect({ port: 443, host }),
    tls: (host) => connectTls({ port: 443, host }),
    http: (host) => get({ host }),
    lookup: (host) => connect({ port: 80, host, lookup }),
    url: (url) => get(url),
  };
  async function call({ way, host, inThread }) {
    if (!inThread) {
      return outcome(() => ways[way](host));
    }
    const thread = new Worker(new URL(import.meta.url), { workerData: { way, host } });
    return new Promise((resolve) => thread.on('message', resolve));
  }
  export const handler = call;
  if (workerData?.way) parentPort.postMessage(await call(workerData));`,
);
const own = await serve((_request, response) => response.end());

/** Returns the code of the error that a call in a function gets. */
async function outcomeOf(event: { way: string; host: string; inThread?: boolean }) {
  const printed: string[] = [];
  const env = {
    LAMBDA_TASK_ROOT: folder,
    _HANDLER: 'index.handler',
    AWS_ENDPOINT_URL_S3: own,
  };
  const thread = startThread('Caller', env, 128, (line) => printed.push(line));
  finallyDo(() => thread.stop());
  const invocation = { requestId: 'id', event: JSON.stringify(event), timeoutMs: 20_000 };
  const { payload } = await thread.invoke({ ...invocation, traceId: '' } as never);
  await thread.stop();
  return { code: payload && JSON.parse(payload), printed: printed.join('\n') };
}

const refused = {
  code: 'ServiceNotImitated',
  printed: expect.stringContaining('which is not reached from here'),
};

test.each([
  { way: 'net', host: 's3.eu-central-1.amazonaws.com' },
  { way: 'net', host: 'sqs.eusc-de-east-1.amazonaws.eu' },
  { way: 'options', host: 'SQS.US-EAST-1.AMAZONAWS.COM' },
  { way: 'tls', host: 'sqs.us-east-1.api.aws.' },
  { way: 'http', host: 'sqs.cn-north-1.amazonaws.com.cn' },
  { way: 'url', host: 'http://169.254.169.254/latest/meta-data' },
  { way: 'net', host: '169.254.170.2' },
  { way: 'tls', host: 'FD00:0EC2::254' },
  { way: 'net', host: '::ffff:a9fe:a9fe' },
  { way: 'url', host: 'http://[::ffff:169.254.169.254]/latest/meta-data' },
  { way: 'lookup', host: 'metadata.example' },
  { way: 'tls', host: 's3.eu-central-1.amazonaws.com', inThread: true },
])('a connection to AWS is refused where it is made: %j', async (event) => {
  expect(await outcomeOf(event)).toEqual(refused);
});

test('a server of your own is reached', async () => {
  expect(await outcomeOf({ way: 'url', host: own })).toEqual({ code: 'response', printed: '' });
});
