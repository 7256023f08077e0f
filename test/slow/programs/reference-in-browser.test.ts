import { beforeAll, describe, expect, test } from '@jest/globals';
import { plantStore } from '../../../functions/plants/store.ts';
import { operations } from '../../../functions/shared/operations.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { localDocumentClient } from '../../../lib/offline/database-client.ts';
import { findChromium } from '../../support/chromium.ts';
import { finallyDo, temporaryFolder } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
import { sent } from '../../support/plant.ts';
import { startNpmStart, startProgram } from '../../support/program.ts';
import { attach } from '../devtools.ts';

const chromium = findChromium();
if (!chromium) {
  process.stderr.write('Without Chromium the tests leave out the browser.\n');
}

/** Starts Chromium without a window, until the test file ends. Returns what opens a tab. */
async function startBrowser() {
  const options =
    'headless no-sandbox disable-gpu disable-dev-shm-usage disable-background-networking ' +
    `no-first-run remote-debugging-port=0 user-data-dir=${temporaryFolder()}`;
  const args = options.split(' ').map((option) => `--${option}`);
  const { child, line, ended } = startProgram(chromium, args);
  finallyDo(() => {
    child.kill();
    return ended();
  });
  const [host] = /127\.0\.0\.1:\d+/.exec(await line(/DevTools listening on/)) ?? [];
  return async () => {
    const tab = await fetch(`http://${host}/json/new?about:blank`, { method: 'PUT' });
    return ((await tab.json()) as { webSocketDebuggerUrl: string }).webSocketDebuggerUrl;
  };
}

async function openPage(tab: string, url: string, width = 1280, scheme = 'light') {
  /** The errors in the page's console, and the hosts that it called. */
  const errors: string[] = [];
  const hosts = new Set<string>();
  const send = await attach(tab, (method, params) => {
    if (method === 'Runtime.exceptionThrown') {
      errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    } else if (method === 'Runtime.consoleAPICalled' && params.type === 'error') {
      errors.push(JSON.stringify(params.args));
    } else if (method === 'Log.entryAdded' && params.entry.level === 'error') {
      errors.push(`${params.entry.text} ${params.entry.url}`);
    } else if (method === 'Network.requestWillBeSent' && !params.request.url.startsWith('data:')) {
      hosts.add(new URL(params.request.url).host);
    }
  });
  for (const domain of ['Runtime', 'Log', 'Network']) {
    await send(`${domain}.enable`);
  }
  const screen = { width, height: 900, deviceScaleFactor: 1, mobile: width < 640 };
  await send('Emulation.setDeviceMetricsOverride', screen);
  const features = [{ name: 'prefers-color-scheme', value: scheme }];
  await send('Emulation.setEmulatedMedia', { features });
  await send('Page.navigate', { url });

  /** Returns the value of an expression in the page, once it has one that is true. */
  async function when<T>(expression: string): Promise<T> {
    const safe = `(() => { try { return ${expression}; } catch { return undefined; } })()`;
    const look = async () => {
      const { result } = await send('Runtime.evaluate', { expression: safe, returnByValue: true });
      return (result as { value: T }).value;
    };
    const instead = () => errors.join('\n');
    return eventually(`${expression} in the page`, look, { instead });
  }

  const element = (selector: string) => `document.querySelector(${JSON.stringify(selector)})`;
  return {
    when,
    click: (selector: string) => when(`(${element(selector)}.click(), true)`),
    /** Replaces the text of a field as if it was typed. */
    async type(selector: string, text: string) {
      await when(`(${element(selector)}.focus(), ${element(selector)}.select(), true)`);
      await send('Input.insertText', { text });
      await when(`(${element(selector)}.blur(), true)`);
    },
    expectNoFault() {
      expect(errors).toEqual([]);
      expect([...hosts]).toEqual([new URL(url).host]);
    },
  };
}

(chromium ? describe : describe.skip)('the reference in a browser', () => {
  const id = '9007199254740993';
  let ready: Awaited<ReturnType<typeof startNpmStart>>;
  let open: (width?: number, scheme?: string) => ReturnType<typeof openPage>;
  beforeAll(async () => {
    ready = await startNpmStart(['--memory']);
    const newTab = await startBrowser();
    const url = new URL('/docs', ready.baseUrl).href;
    open = async (...screen) => openPage(await newTab(), url, ...screen);
  });

  async function listed() {
    const database = localDocumentClient(ready.dynamodbEndpoint);
    const plants = await plantStore(database, tableIds.plants).list('demo', 10, undefined);
    database.destroy();
    return plants.map((plant) => `${plant.id}`);
  }

  test('a plant is created and deleted with every digit of its id', async () => {
    const page = await open();
    for (const [operation, field, text, status, left] of [
      ['createPlant', 'textarea', sent(id), '201', [`${id}`]],
      ['deletePlant', 'input[placeholder="id"]', id, '204', []],
    ] as const) {
      const place = `#operations-Plants-${operation}`;
      await page.click(`${place} .opblock-summary-control`);
      await page.type(`${place} ${field}`, text);
      await page.click(`${place} .execute`);
      const cell = `${place} .live-responses-table tbody .response-col_status`;
      const shown = `document.querySelector('${cell}').innerText.trim()`;
      expect(await page.when(shown)).toBe(status);
      expect(await listed()).toEqual(left);
    }
    page.expectNoFault();
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
    ['dark', 375],
  ])('a %s screen of %i pixels shows every operation', async (scheme, width) => {
    const page = await open(width, scheme);
    const shown = "document.querySelectorAll('.opblock-summary-path').length";
    await page.when(`${shown} === ${Object.keys(operations).length}`);
    await page.click('.opblock-summary-control');
    await page.when("document.querySelector('.opblock-body .responses-inner') !== null");
    // It does not scroll sideways.
    const scrollWidth = await page.when<number>('document.documentElement.scrollWidth');
    expect(scrollWidth).toBeLessThanOrEqual(width);
    // No column of the answers is cut off.
    const table = await page.when<number>(
      "document.querySelector('.responses-table').getBoundingClientRect().right",
    );
    expect(table).toBeLessThanOrEqual(width);
    page.expectNoFault();
    // It would be twice as high if each answer had the headers that all have.
    const height = await page.when<number>("document.querySelector('.opblock').offsetHeight");
    expect(height).toBeLessThan(width < 640 ? 7000 : 5000);
    // A background of the browser's own, which the dark page inverts, would hide a schema's name.
    const isClear = "getComputedStyle(document.querySelector('.models button')).colorScheme";
    if (scheme === 'dark') {
      expect(await page.when(isClear)).toBe('light');
    }
  });

  test.each([
    ['light', 375],
    ['dark', 375],
    ['light', 1280],
    ['dark', 1280],
  ])('on a %s screen of %i pixels, the dialog is in the middle', async (scheme, width) => {
    const page = await open(width, scheme);
    // The page is higher than the window.
    await page.click('.opblock-summary-control');
    await page.when("document.querySelector('.opblock-body .responses-inner') !== null");
    await page.click('.authorize');
    const edges = `(({ left, right, top, bottom }, { clientWidth, clientHeight }) =>
      [left, clientWidth - right, top, clientHeight - bottom])`;
    const dialog = "document.querySelector('.modal-ux').getBoundingClientRect()";
    const [left = 0, right, top = 0, bottom] = await page.when<number[]>(
      `${edges}(${dialog}, document.documentElement)`,
    );
    expect(Math.min(left, top)).toBeGreaterThanOrEqual(0);
    expect(right).toBeCloseTo(left, 0);
    expect(bottom).toBeCloseTo(top, 0);
  });
});
