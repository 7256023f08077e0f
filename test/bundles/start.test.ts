import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test as testInTurn } from '@jest/globals';
import { bundle, requestEntries } from '../../lib/bundle.ts';
import { listen } from '../../lib/offline/http/listen.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { eventFor } from '../support/service/lambda-events.ts';
import { runFunction } from './function-process.ts';

// At the same time, because they do little but wait.
const test = testInTurn.concurrent;

/** docs/evidence.md has the targets. */
const maxBytes = 210_000;

/** Matches the names of bundled files that make a start slow. */
const heavyInputs =
  /credential-provider|credential-providers|client-sso|client-sts|locale|xray|powertools|event-streams\/|submodules\/checksum\/|aws-crypto|http2/;

/** Matches the names of Node's own modules that make a start slow. */
const heavyModules = /undici|http2|webstreams|perf_hooks|zlib|webcrypto|fs\/promises|worker/;

const bundles = temporaryFolder();
const metafile = bundle(bundles);
const database = createServer((request, response) =>
  request.resume().on('end', () => response.end('{}')),
);
const endpoint = `http://127.0.0.1:${await listen(database, 0, '127.0.0.1')}`;
finallyDo(() => database.close().closeAllConnections());

describe.each(requestEntries)('the bundle of %s', (entry) => {
  const folder = join(bundles, entry);

  /** Returns the folder of a copy in which one file has other code. */
  function changed(file: string, change: (code: string) => string): string {
    const copy = `${folder}-${file}`;
    cpSync(folder, copy, { recursive: true });
    writeFileSync(join(copy, file), change(readFileSync(join(copy, file), 'utf8')));
    return copy;
  }

  test(`has at most ${maxBytes} bytes`, async () => {
    const files = readdirSync(folder);
    expect(files.sort()).toEqual(['index.js', 'start.mjs']);
    const bytes = files.map((file) => statSync(join(folder, file)).size);
    expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(maxBytes);
  });

  test('has no heavy input', async () => {
    const [, output] =
      Object.entries(metafile.outputs).find(([file]) => file.includes(`/${entry}/`)) ?? [];
    const inputs = Object.keys(output?.inputs ?? {});
    expect(inputs).toContain(`functions/${entry}.ts`);
    expect(inputs.filter((input) => heavyInputs.test(input))).toEqual([]);
    expect(output?.imports.filter(({ path }) => heavyModules.test(path))).toEqual([]);
  });

  test('starts with a signature and a TLS context, sends nothing and logs nothing', async () => {
    const { signatures, waitedMs: _, ...rest } = (await runFunction(folder)).atStart;
    expect(rest).toEqual({ connections: 0, secureContexts: 1, log: [] });
    expect(signatures).toBeGreaterThan(0);
  });

  test('loads no heavy or late module of Node', async () => {
    const [started, called] = await Promise.all([
      runFunction(folder, { endpoint }),
      runFunction(folder, { endpoint, events: [eventFor(entry)] }),
    ]);
    expect(called.answers).toHaveLength(1);
    expect(called.modules).toContain('NativeModule https');
    expect(called.modules.filter((module) => heavyModules.test(module))).toEqual([]);
    expect(called.modules.filter((module) => !started.modules.includes(module))).toEqual([]);
  });

  test('logs what fails at its start, does not throw it, and serves', async () => {
    // The client cannot sign without a region.
    const broken = changed('start.mjs', (code) =>
      code.replace(
        /(.*warmUp.*)/,
        `delete process.env.AWS_REGION;\n$1\nprocess.env.AWS_REGION = 'eu-central-1';`,
      ),
    );
    const { atStart, answers } = await runFunction(broken, { endpoint, events: [eventFor(entry)] });
    const message = expect.stringMatching(/^A region /);
    expect(atStart.log).toMatchObject([{ code: 'PRIMING_FAILED', cause: { message } }]);
    expect(answers).toHaveLength(1);
  });
});
