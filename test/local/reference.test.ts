import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { tableIds } from '../../functions/contract/table-schema.ts';
import { plantStore } from '../../functions/plants/store.ts';
import { listen } from '../../lib/emulator/listen.ts';
import { localDocumentClient } from '../../lib/local/database/database-client.ts';
import { apiReference } from '../../lib/local/reference/reference.ts';
import { type Browser, chromium, type Page, startBrowser } from './browser.ts';

const token = 'pst_token';

describe('the reference', () => {
  const handle = apiReference(token);
  const server = createServer((incoming, response) => {
    if (!handle(incoming, response)) response.writeHead(418).end();
  });
  beforeAll(() => listen(server, 0, '127.0.0.1'));
  afterAll(() => void server.close());

  async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
    const { port } = server.address() as AddressInfo;
    const answer = Promise.withResolvers<[number, string, IncomingHttpHeaders]>();
    request({ port, path, method, headers }, async (response) => {
      const body = Buffer.concat(await response.toArray()).toString();
      answer.resolve([response.statusCode ?? 0, body, response.headers]);
    }).end();
    const [status, body, responseHeaders] = await answer.promise;
    return { status, body, headers: responseHeaders };
  }

  test.each(['127.0.0.1', '127.0.0.1:3000', 'localhost', 'localhost:3000'])(
    'answers for the host %s',
    async (host) => {
      const { status, body } = await get('/docs', { host });
      expect(status).toBe(200);
      expect(body).toContain(token);
    },
  );

  test.each(['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:3000'])(
    'refuses the host "%s"',
    async (host) => {
      for (const path of ['/docs', '/docs/page.js', '/docs/none'])
        expect(await get(path, { host })).toMatchObject({ status: 403, body: '' });
    },
  );

  test('tells the token in its HTML alone, which other sites cannot include', async () => {
    const { body } = await get('/docs');
    const parts = [...body.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(parts).toHaveLength(4);
    for (const path of [...parts, '/docs/openapi.json']) {
      const part = await get(path);
      expect(part).toMatchObject({
        status: 200,
        headers: {
          'cross-origin-resource-policy': 'same-origin',
          'x-content-type-options': 'nosniff',
          'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
        },
      });
      expect(part.body).not.toContain(token);
    }
  });

  test.each([
    '/docs/',
    '/docs/none',
    '/docs/constructor',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
  ])('does not have %s', async (path) => {
    expect(await get(path)).toMatchObject({ status: 404, body: '' });
  });

  test('is read only', async () => {
    expect((await get('/docs', {}, 'POST')).status).toBe(405);
  });

  test.each(['/v1/plants', '/docsx', '/'])('leaves %s to the API', async (path) => {
    expect((await get(path)).status).toBe(418);
  });
});

(chromium ? describe : describe.skip)('in a browser', () => {
  const id = '9007199254740993';
  let program: ChildProcess;
  let ready: { baseUrl: string; dynamodbEndpoint: string };
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    const args = ['--json', '--memory', '--port', '0', '--dynamodb-port', '0'];
    program = spawn(process.execPath, ['bin/local.ts', ...args], {
      cwd: join(import.meta.dirname, '..', '..'),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = await once(createInterface({ input: program.stdout as Readable }), 'line');
    ready = JSON.parse(line);
    browser = await startBrowser(`${chromium}`);
    url = new URL('/docs', ready.baseUrl).href;
  });
  afterAll(async () => {
    await browser?.stop();
    program?.kill();
  });

  const noneFailed = (page: Page) => {
    expect(page.errors).toEqual([]);
    expect([...page.hosts]).toEqual([new URL(url).host]);
  };

  test('a plant is created and deleted with every digit of its id', async () => {
    const page = await browser.open(url);
    const create = '#operations-default-createPlant';
    await page.click(`${create} .opblock-summary-control`);
    await page.type(`${create} textarea`, `{"id": ${id}, "name": "Monstera", "tag": "indoor"}`);
    await page.click(`${create} .execute`);
    expect(await page.when(statusOf(create))).toBe('201');
    expect(await listed()).toEqual([`${id} Monstera`]);

    const remove = '#operations-default-deletePlant';
    await page.click(`${remove} .opblock-summary-control`);
    await page.type(`${remove} input[placeholder="id"]`, id);
    await page.click(`${remove} .execute`);
    expect(await page.when(statusOf(remove))).toBe('204');
    expect(await listed()).toEqual([]);
    noneFailed(page);
  });

  const statusOf = (operation: string) =>
    `document.querySelector('${operation} .live-responses-table tbody .response-col_status').innerText.trim()`;
  async function listed() {
    const database = localDocumentClient(ready.dynamodbEndpoint);
    const plants = await plantStore(database, tableIds.plants).list('demo', 10, undefined);
    database.destroy();
    return plants.map(({ id, name }) => `${id} ${name}`);
  }

  test.each([
    ['wide', 'light', 1280],
    ['wide', 'dark', 1280],
    ['narrow', 'light', 390],
    ['narrow', 'dark', 390],
  ])(
    'on a %s, %s screen it shows every operation and does not scroll sideways',
    async (...kind) => {
      const [, scheme, width] = kind;
      const page = await browser.open(url, { width, dark: scheme === 'dark' });
      expect(
        await page.when("[...document.querySelectorAll('.opblock-summary-path')].length === 3"),
      ).toBe(true);
      await page.click('.opblock-summary-control');
      await page.when("document.querySelector('.opblock-body .responses-inner') !== null");
      const scrollWidth = await page.when<number>('document.documentElement.scrollWidth');
      expect(scrollWidth).toBeLessThanOrEqual(width);
      noneFailed(page);
      const folder = process.env.SCREENSHOTS;
      if (folder)
        writeFileSync(join(folder, `reference-${kind.join('-')}.png`), await page.screenshot());
    },
  );
});
