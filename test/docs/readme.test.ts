import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readyText } from '../../bin/local/output.ts';
import { type Service, startService } from '../support/service/service.ts';
import { readPage, tableOf } from './page.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

const run = promisify(execFile);
const code = /`([^`]+)`/g;

test('the curl commands of the README get the answers that it names', async () => {
  const token = await service.issue('alice');
  const env = {
    ...process.env,
    API: service.baseUrl,
    AUTH: `Authorization: Bearer ${token}`,
  };
  for (const [, command = '', answer = ''] of tableOf('README.md', 'operation')) {
    const curl = command.slice(1, -1).replace('curl ', "curl -s -w '\\n%{http_code}' ");
    const { stdout } = await run('sh', ['-c', curl], { env });
    const [status, body = ''] = [...answer.matchAll(code)].map(([, text]) => text);
    expect(stdout).toBe(`${body}\n${status}`);
  }
});

test('the README shows what npm start prints', () => {
  const [, block = ''] = /^```console\n([\s\S]*?)^```/m.exec(readPage('README.md')) ?? [];
  const ready = {
    baseUrl: 'http://127.0.0.1:3000/v1',
    token: 'pst_…',
    dynamodbEndpoint: 'http://127.0.0.1:8000',
  };
  const printed = readyText(ready, 'in .plant-store', 'http://127.0.0.1:3000/docs').trim();
  // The README cuts the first curl line.
  expect(printed.startsWith(block.replace(/…\n$/, ''))).toBe(true);
});
