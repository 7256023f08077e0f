import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { pinnedTables } from '../support/pinned-operations.ts';
import { testOnPosix } from '../support/posix.ts';
import { type Service, startService } from '../support/service/service.ts';
import { readPage, shellBlocks } from './page.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

const run = promisify(execFile);
const readme = readPage('README.md');

const testShell = testOnPosix('it has no sh of its own');

testShell(
  'the README issues a token, and its curl commands get the answers that it names',
  async () => {
    const [, section = ''] = /^## The API\n(.*?)^## /ms.exec(readme) ?? [];
    const script = shellBlocks(section)
      .flat()
      .join('\n')
      .replace('--localhost', `--dynamodb-endpoint ${service.databaseEndpoint}`)
      .replace('http://127.0.0.1:3000/v1', service.baseUrl)
      .replaceAll('curl -i', "curl -s -w '\\n%{http_code}\\n'");
    const { stdout } = await run('sh', ['-ec', script, root], { cwd: root });
    const answers = section.matchAll(/answered `(\d+)`(?: and\s`([^`]+)`)?:/g);
    const expected = [...answers].map(([, status, body = '']) => `${body}\n${status}\n`);
    expect(expected).toHaveLength(3);
    expect(stdout).toBe(expected.join(''));
  },
);

test('the flow chart of the README has every table', () => {
  const [, chart = ''] = /^```mermaid\n(.*?)^```$/ms.exec(readme) ?? [];
  const tables = [...chart.matchAll(/\[\((\w+)\)\]/g)].map(([, table]) => table);
  expect(tables.sort()).toEqual(Object.keys(pinnedTables).sort());
});

testShell('the README clones a repository and brings the clone up to date', () => {
  const [, clone = ''] = /`(git clone [^`]+)`/.exec(readme) ?? [];
  const [, update] = /^(git pull) && npm ci$/m.exec(readme) ?? [];
  const origin = temporaryFolder();
  const sh = (script: string) =>
    execFileSync('sh', ['-ec', script, root], {
      cwd: origin,
      stdio: 'pipe',
      timeout: 30_000,
    });
  // CI may have checked out a commit without a branch.
  sh('git clone -q --bare "$0" . && git update-ref refs/heads/main HEAD');
  sh('git symbolic-ref HEAD refs/heads/main');
  const inClone = clone.replace('REPOSITORY_URL', `'${origin}'`);
  expect(`${sh(`${inClone} && ${update} && ls`)}`).toContain('package.json');
});
