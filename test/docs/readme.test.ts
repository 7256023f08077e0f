import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../service.ts';
import { tableOf } from './page.ts';

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
