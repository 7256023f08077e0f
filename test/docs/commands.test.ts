import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { root } from '../support/checkout.ts';
import { testOnPosix } from '../support/posix.ts';
import { codeBlocks, commandsOf, readPage } from './page.ts';

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

const readme = readPage('README.md');
const [section = ''] = /^## The API\n.*?^## /ms.exec(readme) ?? [];

testOnPosix('it has no sh of its own')(
  'the commands of the README call the API, which returns the statuses and bodies that it shows',
  async () => {
    const script = codeBlocks(section, 'sh')
      .flatMap(commandsOf)
      .join('\n')
      .replace('--localhost', `--dynamodb-endpoint ${ready.dynamodbEndpoint}`)
      .replace('http://127.0.0.1:3000/v1', ready.baseUrl)
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

test('CI runs the other commands of the README, in a fresh clone, or they need an AWS account', () => {
  const others = codeBlocks(readme.replace(section, ''), 'sh');
  const free = others.filter((block) => !block.startsWith('# Needs an AWS account\n'));
  expect(free).toEqual(['npm ci && npm start', 'npm ci && npm test']);
  const inFreshClone = readPage('.ci/steps/as-people-do').split('\n').join(' ');
  expect(inFreshClone).toMatch(/git clone .* npm ci .*npm start .*npm test/);
});

test('the problem on the page about the API is the response to its request', async () => {
  const page = readPage('docs/api.md');
  const [, url = ''] = /`GET ([^`]+)`\sreturns\s400/.exec(page) ?? [];
  const [shown = ''] = codeBlocks(page, 'json');
  const headers = { Authorization: `Bearer ${ready.token}` };
  const response = await fetch(`${ready.baseUrl}${url}`, { headers });
  const instance = response.headers.get('X-Request-Id');
  expect(await response.json()).toEqual({ ...JSON.parse(shown), instance });
});

test('the loop on the page about the API reads all pages', async () => {
  const { baseUrl, token } = ready;
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  for (const id of [1, 2, 3, 4, 5]) {
    const body = JSON.stringify({ id, name: `Plant ${id}` });
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
