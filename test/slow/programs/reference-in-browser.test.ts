import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { operations } from '../../../functions/shared/operations.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { localDocumentClient } from '../../../lib/offline/database-client.ts';
import { findChromium } from '../../support/chromium.ts';
import { finallyDo, temporaryFolder } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
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

async function openPage(tab: string, url: string, scheme = 'light') {
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
  let open: (scheme?: string) => ReturnType<typeof openPage>;
  beforeAll(async () => {
    ready = await startNpmStart(['--memory']);
    const newTab = await startBrowser();
    const url = new URL('/docs', ready.baseUrl).href;
    open = async (scheme) => openPage(await newTab(), url, scheme);
  });

  /** Returns the ids of the plants as the database has them. */
  async function listed(): Promise<string[]> {
    const database = localDocumentClient(ready.dynamodbEndpoint);
    const { Items = [] } = await database.send(new ScanCommand({ TableName: tableIds.plants }));
    database.destroy();
    return Items.map((plant) => `${plant.id}`);
  }

  test('a plant is created and deleted with every digit of its id', async () => {
    const page = await open();
    for (const [operation, field, text, status, left] of [
      ['createPlant', 'textarea', `{"id":${id},"name":"Aloe"}`, '201', [`${id}`]],
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
    ['light', 'rgba(0, 0, 0, 0)'],
    ['dark', 'rgb(28, 32, 34)'],
  ])('a %s screen shows every operation in its colours', async (scheme, colour) => {
    const page = await open(scheme);
    const shown = "document.querySelectorAll('.opblock-summary-path').length";
    await page.when(`${shown} === ${Object.keys(operations).length}`);
    const background = "getComputedStyle(document.querySelector('.swagger-ui')).backgroundColor";
    expect(await page.when(background)).toBe(colour);
    page.expectNoFault();
  });
});
