import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { makeDocumentClient } from '../../../functions/dynamodb/client.ts';
import { operations } from '../../../functions/shared/operations.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { localClient } from '../../../lib/local/database/client.ts';
import { requireOfCi, root } from '../../support/checkout.ts';
import { findChromium } from '../../support/chromium.ts';
import { finallyDo } from '../../support/cleanup.ts';
import { makeBody } from '../../support/plant.ts';
import { startNpmStart } from '../../support/program.ts';

// CI has both on Linux.
const executablePath = findChromium();
const hasPlaywright = existsSync(join(root, '.ci', 'node_modules', 'playwright-core'));
const isPossible = executablePath !== '' && hasPlaywright;
if (!isPossible) {
  process.stderr.write(
    'Skipped: this needs a Chromium, and "npm ci --prefix .ci" for Playwright.\n',
  );
}

(isPossible ? describe : describe.skip)('the reference in a browser', () => {
  const id = '9007199254740993';
  let ready: Awaited<ReturnType<typeof startNpmStart>>;
  // Only CI has Playwright and its types.
  let browser: ReturnType<typeof JSON.parse>;
  beforeAll(async () => {
    ready = await startNpmStart(['--memory']);
    const { chromium } = requireOfCi('playwright-core');
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    finallyDo(() => browser.close());
  });

  /** Opens the reference. Returns the page and the list of its errors. */
  async function open(colorScheme = 'light') {
    const page = await browser.newPage({ colorScheme });
    const errors: string[] = [];
    page.on('pageerror', (error: Error) => errors.push(`${error}`));
    page.on('console', (message: { type(): string; text(): string }) => {
      if (message.type() === 'error') {
        errors.push(message.text());
      }
    });
    const { origin } = new URL(ready.baseUrl);
    page.on('request', (request: { url(): string }) => {
      if (!request.url().startsWith('data:') && !request.url().startsWith(`${origin}/`)) {
        errors.push(request.url());
      }
    });
    await page.goto(`${origin}/docs`);
    return { page, errors };
  }

  /** Returns the ids of the stored plants. */
  async function listPlants(): Promise<string[]> {
    const database = makeDocumentClient(localClient(ready.dynamodbEndpoint));
    const { Items = [] } = await database.send(new ScanCommand({ TableName: tableIds.plants }));
    database.destroy();
    return Items.map((plant) => `${plant.id}`);
  }

  test('a plant is created and deleted with every digit of its id', async () => {
    const { page, errors } = await open();
    for (const [operation, field, text, status, left] of [
      ['createPlant', 'textarea', makeBody(id), '201', [`${id}`]],
      ['deletePlant', 'input[placeholder="id"]', id, '204', []],
    ] as const) {
      const place = page.locator(`#operations-Plants-${operation}`);
      await place.locator('.opblock-summary-control').click();
      await place.locator(field).fill(text);
      await place.locator('.execute').click();
      const shown = place.locator('.live-responses-table tbody .response-col_status');
      expect((await shown.textContent())?.trim()).toBe(status);
      expect(await listPlants()).toEqual(left);
    }
    expect(errors).toEqual([]);
  });

  test.each([
    ['light', 'rgba(0, 0, 0, 0)'],
    ['dark', 'rgb(28, 32, 34)'],
  ])('a %s screen shows every operation in its colours', async (scheme, colour) => {
    const { page, errors } = await open(scheme);
    const paths = page.locator('.opblock-summary-path');
    await paths.nth(Object.keys(operations).length - 1).waitFor();
    expect(await paths.count()).toBe(Object.keys(operations).length);
    const background = (element: Element) => getComputedStyle(element).backgroundColor;
    expect(await page.locator('.swagger-ui').first().evaluate(background)).toBe(colour);
    expect(errors).toEqual([]);
  });
});
