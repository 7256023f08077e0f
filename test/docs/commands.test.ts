import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { root } from '../support/checkout.ts';
import { testOnPosix } from '../support/posix.ts';
import { readPage, shellBlocks } from './page.ts';

interface Ready {
  baseUrl: string;
  token: string;
  dynamodbEndpoint: string;
}

const args = ['bin/start.ts', '--json', '--memory', '--port', '0', '--dynamodb-port', '0'];
const program = spawn(process.execPath, args, { cwd: root });
const log = text(program.stderr);

let ready: Ready;
beforeAll(async () => {
  const printed = once(createInterface(program.stdout), 'line');
  const ended = once(program, 'exit').then(async () => Promise.reject(new Error(await log)));
  const [line] = await Promise.race([printed, ended]);
  ready = JSON.parse(line);
});
afterAll(() => {
  program.kill();
});

const testShell = testOnPosix('it has no sh of its own');

testShell('the commands of the README call the API and get the answers that it names', async () => {
  const [, section = ''] = /^## The API\n(.*?)^## /ms.exec(readPage('README.md')) ?? [];
  const script = shellBlocks(section)
    .flat()
    .join('\n')
    .replace('--localhost', `--dynamodb-endpoint ${ready.dynamodbEndpoint}`)
    .replace('http://127.0.0.1:3000/v1', ready.baseUrl)
    .replaceAll('curl -i', "curl -s -w '\\n%{http_code}\\n'");
  const { stdout } = await promisify(execFile)('sh', ['-ec', script], { cwd: root });
  const answers = section.matchAll(/answered `(\d+)`(?: and\s`([^`]+)`)?:/g);
  const expected = [...answers].map(([, status, body = '']) => `${body}\n${status}\n`);
  expect(expected).toHaveLength(3);
  expect(stdout).toBe(expected.join(''));
});

test('the problem on the page for clients is the answer to its request', async () => {
  const page = readPage('docs/clients.md');
  const [, url = ''] = /`GET ([^`]+)`\sis answered 400/.exec(page) ?? [];
  const [, shown = ''] = /^```json\n(.*?)^```/ms.exec(page) ?? [];
  const headers = { Authorization: `Bearer ${ready.token}` };
  const answer = await fetch(`${ready.baseUrl}${url}`, { headers });
  const instance = answer.headers.get('X-Request-Id');
  expect(await answer.json()).toEqual({ ...JSON.parse(shown), instance });
});
