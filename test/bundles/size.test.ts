import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { bundle, entries } from '../../lib/bundle.ts';
import { listen } from '../../lib/emulator/listen.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { eventFor } from '../support/service/lambda-events.ts';
import { runFunction } from './function-process.ts';

/** docs/speed.md has the targets. */
const maxBytes = 210_000;

/** Matches the names of bundled files that make a start slow. */
const heavyInputs =
  /credential-provider|credential-providers|client-sso|client-sts|locale|xray|powertools|event-streams\/|middleware-endpoint-discovery|aws-crypto|http2/;

/** Matches the names of Node's own modules that make a start slow. */
const heavyModules = /undici|http2|webstreams|perf_hooks|zlib|webcrypto|fs\/promises|worker/;

const folder = temporaryFolder();
const metafile = bundle(folder);
const database = createServer((request, response) =>
  request.resume().on('end', () => response.end('{}')),
);
const endpoint = `http://127.0.0.1:${await listen(database, 0, '127.0.0.1')}`;
finallyDo(() => database.close().closeAllConnections());

describe.each(entries)('the bundle of %s', (entry) => {
  test(`has at most ${maxBytes} bytes`, () => {
    const files = readdirSync(join(folder, entry));
    expect(files.sort()).toEqual(['index.js', 'start.mjs']);
    const bytes = files.map((file) => statSync(join(folder, entry, file)).size);
    expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(maxBytes);
  });

  test('has no heavy input', () => {
    const [, output] =
      Object.entries(metafile.outputs).find(([file]) => file.includes(`/${entry}/`)) ?? [];
    const inputs = Object.keys(output?.inputs ?? {});
    expect(inputs).toContain(`functions/${entry}.ts`);
    expect(inputs.filter((input) => heavyInputs.test(input))).toEqual([]);
    expect(output?.imports.filter(({ path }) => heavyModules.test(path))).toEqual([]);
  });

  test('has loaded no heavy module of Node by the end of its first call', async () => {
    const given = { events: [eventFor(entry)], endpoint };
    const { modules, answers } = await runFunction(join(folder, entry), given);
    expect(answers).toHaveLength(1);
    expect(modules).toContain('NativeModule https');
    expect(modules.filter((module) => heavyModules.test(module))).toEqual([]);
  });

  test('loads no module of Node for its first call', async () => {
    const run = (events: unknown[]) => runFunction(join(folder, entry), { events, endpoint });
    const atStart = new Set((await run([])).modules);
    const late = (await run([eventFor(entry)])).modules.filter((module) => !atStart.has(module));
    expect(late).toEqual([]);
  });
});
