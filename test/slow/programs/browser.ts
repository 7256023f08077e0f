import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { eventually } from '../../support/eventually.ts';

type Json = Record<string, unknown>;

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of an installed Chromium. CI installs one. */
export const chromium = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find((path) => existsSync(path));
if (!chromium) process.stderr.write('Without Chromium the tests leave out the browser.\n');

export type Page = Awaited<ReturnType<Browser['open']>>;
export type Browser = Awaited<ReturnType<typeof startBrowser>>;

/**
 * Starts Chromium without a window. It is driven by its DevTools protocol over Node's own
 * WebSocket, because a library for this would be larger than the project.
 */
export async function startBrowser(path: string) {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  const child = spawn(
    path,
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--no-first-run',
      '--remote-debugging-port=0',
      `--user-data-dir=${folder}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const exited = once(child, 'exit');
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (told += text));
  const address = await eventually(
    'a Chromium that listens',
    () => /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(told) ?? child.exitCode !== null,
    { seconds: 120, instead: () => told },
  );
  if (address === true) throw new Error(`Chromium ended before it listened:\n${told}`);
  const [, port] = address || [];

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
    async stop() {
      child.kill();
      await eventually('the end of Chromium', exited);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function connect(url: string) {
  const socket = new WebSocket(url);
  const opened = Promise.withResolvers<void>();
  const answers = new Map<number, PromiseWithResolvers<Json>>();
  /** The errors in the page's console, and the hosts that it called. */
  const errors: string[] = [];
  const hosts = new Set<string>();
  socket.addEventListener('open', () => opened.resolve());
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, method, params } = JSON.parse(String(data));
    if (error) answers.get(id)?.reject(new Error(error.message));
    else if (id) answers.get(id)?.resolve(result);
    else if (method === 'Runtime.exceptionThrown')
      errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    else if (method === 'Runtime.consoleAPICalled' && params.type === 'error')
      errors.push(JSON.stringify(params.args));
    else if (method === 'Log.entryAdded' && params.entry.level === 'error')
      errors.push(`${params.entry.text} ${params.entry.url}`);
    else if (method === 'Network.requestWillBeSent' && !params.request.url.startsWith('data:'))
      hosts.add(new URL(params.request.url).host);
  });
  await opened.promise;
  let count = 0;

  const send = (method: string, params: Json = {}): Promise<Json> => {
    count += 1;
    const answer = Promise.withResolvers<Json>();
    answers.set(count, answer);
    socket.send(JSON.stringify({ id: count, method, params }));
    return eventually(`an answer to ${method}`, answer.promise);
  };

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
