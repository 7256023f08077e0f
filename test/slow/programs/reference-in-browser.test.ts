import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { plantStore } from '../../../functions/plants/store.ts';
import { operations } from '../../../functions/shared/operations.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { localDocumentClient } from '../../../lib/database/database-client.ts';
import { startNpmStart } from '../../support/program.ts';
import { type Browser, chromium, type Page, startBrowser } from './browser.ts';

(chromium ? describe : describe.skip)('the reference in a browser', () => {
  const id = '9007199254740993';
  let ready: Awaited<ReturnType<typeof startNpmStart>>;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    ready = await startNpmStart(['--memory']);
    browser = await startBrowser(`${chromium}`);
    url = new URL('/docs', ready.baseUrl).href;
  });

  const noneFailed = (page: Page) => {
    expect(page.errors).toEqual([]);
    expect([...page.hosts]).toEqual([new URL(url).host]);
  };

  test('a plant is created and deleted with every digit of its id', async () => {
    const page = await browser.open(url);
    const create = '#operations-Plants-createPlant';
    await page.click(`${create} .opblock-summary-control`);
    await page.type(`${create} textarea`, `{"id": ${id}, "name": "Monstera", "tag": "indoor"}`);
    await page.click(`${create} .execute`);
    expect(await page.when(statusOf(create))).toBe('201');
    expect(await listed()).toEqual([`${id} Monstera`]);

    const remove = '#operations-Plants-deletePlant';
    await page.click(`${remove} .opblock-summary-control`);
    await page.type(`${remove} input[placeholder="id"]`, id);
    await page.click(`${remove} .execute`);
    expect(await page.when(statusOf(remove))).toBe('204');
    expect(await listed()).toEqual([]);
    noneFailed(page);
  });

  const statusOf = (operation: string) => {
    const cell = `${operation} .live-responses-table tbody .response-col_status`;
    return `document.querySelector('${cell}').innerText.trim()`;
  };
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
      const shown = "document.querySelectorAll('.opblock-summary-path').length";
      await page.when(`${shown} === ${Object.keys(operations).length}`);
      await page.click('.opblock-summary-control');
      await page.when("document.querySelector('.opblock-body .responses-inner') !== null");
      const scrollWidth = await page.when<number>('document.documentElement.scrollWidth');
      expect(scrollWidth).toBeLessThanOrEqual(width);
      noneFailed(page);
      // It would be twice as high if each answer had the headers that all have.
      const height = await page.when<number>("document.querySelector('.opblock').offsetHeight");
      expect(height).toBeLessThan(width < 640 ? 7000 : 5000);
      // A background of the browser's own, which the dark page inverts, would hide a schema's name.
      const isClear = "getComputedStyle(document.querySelector('.models button')).colorScheme";
      if (scheme === 'dark') expect(await page.when(isClear)).toBe('light');
      const folder = process.env.SCREENSHOTS;
      if (folder)
        writeFileSync(join(folder, `reference-${kind.join('-')}.png`), await page.screenshot());
    },
  );
});
