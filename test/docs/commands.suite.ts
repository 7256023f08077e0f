import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../support/checkout.ts';
import { openDatabase } from '../support/database/engine.ts';
import { makeBody } from '../support/plant.ts';
import { testOnPosix } from '../support/posix.ts';
import { startService } from '../support/service/service.ts';
import { codeBlocks, readCommands, readPage } from './page.ts';

const { endpoint } = await openDatabase();
const { baseUrl, issue } = await startService(endpoint);
const token = await issue('reader');
const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };

const readme = readPage('README.md');
const [section = ''] = /^## The API\n.*?^## /ms.exec(readme) ?? [];

testOnPosix('it has no sh of its own')(
  'the commands of the README call the API, which returns the statuses and bodies that it shows',
  async () => {
    const script = codeBlocks(section, 'sh')
      .flatMap(readCommands)
      .join('\n')
      // Without npm, which takes a quarter of a second.
      .replace('npm run -s token --', packageJson.scripts.token)
      .replace('--localhost', `--dynamodb-endpoint ${endpoint}`)
      .replace('http://127.0.0.1:3000/v1', baseUrl)
      .replaceAll('curl -i', "curl -s -w '\\n%{http_code}\\n'");
    const { stdout } = await promisify(execFile)('sh', ['-ec', script], { cwd: root });
    const [created, listed, deleted, again = ''] = stdout.split(/(?<=\n\d{3}\n)/);
    const plant = '{"name":"Monstera","tag":"indoor"}';
    expect([created, listed, deleted]).toEqual([`${plant}\n201\n`, `[${plant}]\n200\n`, '\n204\n']);
    expect(again).toMatch(/plant-not-found.*\n404\n$/);
    const shown = [...section.matchAll(/returns\s`(\d+)`(?: and\s`([^`]+)`)?/g)];
    expect(shown.map(([, status, body]) => [status, body])).toEqual([
      ['201', plant],
      ['200', `[${plant}]`],
      ['204', undefined],
      ['404', undefined],
    ]);
  },
);

test('the other commands of the README are those of a step of CI, or need an AWS account', () => {
  const others = readme.replace(section, '');
  const onAws = codeBlocks(others, 'sh aws');
  const free = codeBlocks(others, 'sh').filter((block) => !onAws.includes(block));
  expect(free).toEqual(['npm ci && npm start', 'npm ci && npm test']);
  const step = readPage('.ci/steps/as-people-do').split('\n');
  const [clone, install, use] = [/^git clone .* \. "\$folder"$/, /^npm ci$/, /use-checkout$/].map(
    (form) => step.findIndex((line) => form.test(line)),
  );
  expect([clone, install, use]).toEqual([clone, install, use].toSorted((a = 0, b = 0) => a - b));
  expect(clone).toBeGreaterThan(0);
  expect(readPage('.ci/tools/use-checkout')).toMatch(/^npm start .*^"\$\{shell[^\n]*npm test'/ms);
});

test('the problem on the page about the API is the response to its request', async () => {
  const page = readPage('docs/api.md');
  const [, url = ''] = /`GET ([^`]+)`\sreturns\s400/.exec(page) ?? [];
  const [shown = ''] = codeBlocks(page, 'json');
  const response = await fetch(`${baseUrl}${url}`, { headers });
  const instance = response.headers.get('X-Request-Id');
  expect(await response.json()).toEqual({ ...JSON.parse(shown), instance });
});

test('the loop on the page about the API reads all pages', async () => {
  for (const id of [1, 2, 3, 4, 5]) {
    const body = makeBody(id, `Plant ${id}`);
    await fetch(`${baseUrl}/plants`, { method: 'POST', headers, body });
  }
  const [loop = ''] = codeBlocks(readPage('docs/api.md'), 'js');
  const source = `export default async (baseUrl, token) => {
    ${loop.replace('limit=1000', 'limit=2')}
    return plants;
  };`;
  const { default: readAll } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  const names = (await readAll(baseUrl, token)).map(({ name }: { name: string }) => name);
  expect(names).toEqual(['Plant 1', 'Plant 2', 'Plant 3', 'Plant 4', 'Plant 5']);
});
