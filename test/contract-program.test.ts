import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Service, startService } from './service.ts';

// In front of a whole service stands a server that turns every third request away and can spoil answers.

let service: Service;
let front: Server;
let spoil = (_status: number, _headers: OutgoingHttpHeaders) => {};
let calls = 0;

beforeAll(async () => {
  service = await startService();
  front = createServer((incoming, outgoing) => {
    calls += 1;
    if (calls % 3 === 0) {
      incoming.resume();
      outgoing.writeHead(429, { 'Retry-After': 0 }).end();
      return;
    }
    const { method, headers } = incoming;
    const forwarded = request(
      new URL(incoming.url ?? '', service.baseUrl),
      { method: `${method}`, headers },
      (answer) => {
        const status = answer.statusCode ?? 0;
        spoil(status, answer.headers);
        answer.pipe(outgoing.writeHead(status, answer.headers));
      },
    );
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
}, 60_000);
beforeEach(() => {
  spoil = () => {};
});
afterAll(async () => {
  front.close();
  front.closeAllConnections();
  await service.stop();
});

/** Runs the suite without its long tables, against the server in front. */
async function run() {
  const tokens = [
    await service.issue('alice'),
    await service.issue('bob'),
    await service.issue('carol', ['plants:read']),
  ];
  const [token = '', other = '', read = ''] = tokens;
  const tables = [
    'is refused with',
    'an id may be',
    'comes back',
    'at most 1000',
    'is refused:',
    'unknown operation',
  ];
  const suite = spawn(
    process.execPath,
    [
      'bin/contract.ts',
      '--base-url',
      `http://127.0.0.1:${(front.address() as AddressInfo).port}/v1`,
      '--except',
      ...tables,
    ],
    {
      cwd: join(import.meta.dirname, '..'),
      env: {
        PATH: process.env.PATH,
        CONTRACT_TOKEN: token,
        CONTRACT_OTHER_TOKEN: other,
        CONTRACT_READ_TOKEN: read,
      },
      stdio: 'pipe',
    },
  );
  let output = '';
  for (const stream of [suite.stdout, suite.stderr])
    stream.on('data', (text) => {
      output += text;
    });
  const [code] = await once(suite, 'close');
  for (const one of tokens) expect(output).not.toContain(one);
  return { code, output };
}

const plantsLeft = async () =>
  (await service.database.send(new ScanCommand({ TableName: 'Plants', Select: 'COUNT' }))).Count;

test('the suite says what it will create, waits where it is turned away, and deletes everything', async () => {
  const { code, output } = await run();
  expect(output).toMatch(
    /^http:\S+: about 1200 plants will be created .* and all of them deleted again\./,
  );
  expect(output).toMatch(/Tests: +\d+ skipped, \d\d passed/);
  expect(code).toBe(0);
  expect(await plantsLeft()).toBe(0);
}, 60_000);

test('an answer that is not as described fails the suite, which deletes everything all the same', async () => {
  spoil = (status, headers) => {
    if (status === 409) delete headers['x-content-type-options'];
  };
  const { code, output } = await run();
  expect(output).toContain(
    'POST /plants was answered with 409: the header X-Content-Type-Options is missing.',
  );
  expect(code).toBe(1);
  expect(await plantsLeft()).toBe(0);
}, 60_000);

test('where an owner has plants already the suite does nothing', async () => {
  const token = await service.issue('alice');
  const plants = {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  };
  expect(
    (await fetch(`${service.baseUrl}/plants`, { ...plants, body: '{"id":7,"name":"Aloe"}' }))
      .status,
  ).toBe(201);
  const { code, output } = await run();
  expect(output).toContain('The owners of the tokens have plants already');
  expect(code).toBe(1);
  expect(await plantsLeft()).toBe(1);
}, 60_000);
