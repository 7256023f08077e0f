import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll } from '@jest/globals';
import { type EmulatorOptions, startEmulator } from '../../lib/emulator/emulator.ts';

const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** Does something when the test file is done, last things first. */
export const finallyDo = (cleanup: () => unknown) => cleanups.push(cleanup);

/** A folder that is gone when the test file is done. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'emulator-test-'));
  finallyDo(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Synthesizes the fixture stack in a thread of its own: jest would take several times as long to load the CDK. */
export function synthesizeFixture(): Promise<string> {
  const source = `const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.app).then(({ synthesize }) => parentPort.postMessage(synthesize(workerData.outdir)));`;
  const workerData = {
    app: new URL('./fixture/app.ts', import.meta.url).href,
    outdir: join(temporaryFolder(), 'assembly'),
  };
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  new Worker(source, { eval: true, workerData }).once('message', resolve).once('error', reject);
  return promise;
}

export interface LogLine {
  functionName: string;
  line: string;
}

/** The emulator with the fixture stack on a free port; it ends with the test file. The functions' log lines are in `log`. */
export async function startFixture(options: Partial<EmulatorOptions> = {}) {
  const assembly = options.assembly ?? (await synthesizeFixture());
  const log: LogLine[] = [];
  const emulator = await startEmulator({
    assembly,
    port: 0,
    dynamodbEndpoint: 'http://127.0.0.1:1',
    log: (functionName, line) => log.push({ functionName, line }),
    ...options,
  });
  finallyDo(() => emulator.stop());
  return { ...emulator, assembly, log, origin: new URL(emulator.baseUrl).origin };
}

export interface Request {
  method?: string;
  path: string;
  /** Name, value, name, value: sent in this order and this case. */
  headers?: string[];
  body?: string | Buffer;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  body: string;
}

/** Sends a request exactly as it is written: `fetch` would normalize its path and headers. */
export function send(
  origin: string,
  { method = 'GET', path, headers = [], body }: Request,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { host, hostname, port } = new URL(origin);
  const given = headers.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
  const own = [
    'Host',
    host,
    ...(body === undefined || given.includes('transfer-encoding')
      ? []
      : ['Content-Length', String(Buffer.byteLength(body))]),
  ];
  const request = httpRequest(
    { hostname, port, method, path, headers: [...own, ...headers] as never, agent: false },
    async (response) => {
      const chunks = await response.toArray();
      const { statusCode: status = 0, headers, rawHeaders } = response;
      resolve({ status, headers, rawHeaders, body: Buffer.concat(chunks).toString('utf8') });
    },
  );
  request.on('error', reject).end(body);
  return promise;
}
