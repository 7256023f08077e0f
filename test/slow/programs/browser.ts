import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { finallyDo, temporaryFolder } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
import { startProgram } from '../../support/program.ts';
import { attach } from '../devtools.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of an installed Chromium. CI installs one. */
export const chromium = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find((path) => existsSync(path));
if (!chromium) process.stderr.write('Without Chromium the tests leave out the browser.\n');

export type Page = Awaited<ReturnType<Browser['open']>>;
export type Browser = Awaited<ReturnType<typeof startBrowser>>;

/** Starts Chromium without a window. It ends with the test file. */
export async function startBrowser(path: string) {
  const folder = temporaryFolder();
  const options =
    'headless no-sandbox disable-gpu disable-dev-shm-usage disable-background-networking ' +
    'no-first-run remote-debugging-port=0';
  const args = [...options.split(' '), `user-data-dir=${folder}`].map((option) => `--${option}`);
  const { child, line, ended } = startProgram(path, args);
  finallyDo(() => {
    child.kill();
    return ended();
  });
  const [, port] = /127\.0\.0\.1:(\d+)/.exec(await line(/DevTools listening on/)) ?? [];

  return {
    async open(url: string, { width = 1280, height = 900, dark = false } = {}) {
      const tab = await fetch(`http://127.0.0.1:${port}/json/new?about:blank`, { method: 'PUT' });
      const { webSocketDebuggerUrl } = (await tab.json()) as { webSocketDebuggerUrl: string };
      const page = await connect(webSocketDebuggerUrl);
      await page.send('Runtime.enable');
      await page.send('Log.enable');
      await page.send('Network.enable');
      await page.send('Emulation.setDeviceMetricsOverride', {
        width,
        height,
        deviceScaleFactor: 1,
        mobile: width < 640,
      });
      const scheme = { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' };
      await page.send('Emulation.setEmulatedMedia', { features: [scheme] });
      await page.send('Page.navigate', { url });
      return page;
    },
  };
}

async function connect(url: string) {
  /** The errors in the page's console, and the hosts that it called. */
  const errors: string[] = [];
  const hosts = new Set<string>();
  const send = await attach(url, (method, params) => {
    if (method === 'Runtime.exceptionThrown')
      errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    else if (method === 'Runtime.consoleAPICalled' && params.type === 'error')
      errors.push(JSON.stringify(params.args));
    else if (method === 'Log.entryAdded' && params.entry.level === 'error')
      errors.push(`${params.entry.text} ${params.entry.url}`);
    else if (method === 'Network.requestWillBeSent' && !params.request.url.startsWith('data:'))
      hosts.add(new URL(params.request.url).host);
  });

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
    errors,
    hosts,
    send,
    when,
    click: (selector: string) => when(`(${element(selector)}.click(), true)`),
    /** Replaces the text of a field as if it was typed. */
    async type(selector: string, text: string) {
      await when(`(${element(selector)}.focus(), ${element(selector)}.select(), true)`);
      await send('Input.insertText', { text });
      await when(`(${element(selector)}.blur(), true)`);
    },
    async screenshot(): Promise<Buffer> {
      const { data } = await send('Page.captureScreenshot', { captureBeyondViewport: false });
      return Buffer.from(String(data), 'base64');
    },
  };
}
