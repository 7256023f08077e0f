import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type BuildOptions, buildSync } from 'esbuild';
import { startExecutionEnvironment } from '../../lib/offline/lambda/execution-environment.ts';
import { newTrace } from '../../lib/offline/trace.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';

const contents = `
export async function handler(event: { isLogged: boolean }) {
  const error: Error = new Error('withered');
  if (event.isLogged) console.error({ code: 'WITHERED', cause: { stack: error.stack } });
  else throw error;
}
`;

test.each<[BuildOptions, string]>([
  [{ sourcemap: 'linked', format: 'cjs' }, 'wither.ts:3:24'],
  [{ sourcemap: 'linked', format: 'esm' }, 'wither.ts:3:24'],
  [{ sourcemap: 'linked', format: 'cjs', sourceRoot: 'webpack://store/' }, 'index.js:'],
  [{ format: 'cjs' }, 'index.js:'],
])('the stacks of a bundle with %j point to %s', async (options, place) => {
  const folder = join(temporaryFolder(), "an odd földer's 50% of #1");
  mkdirSync(folder);
  const outfile = join(folder, options.format === 'esm' ? 'index.mjs' : 'index.js');
  const source = join(folder, 'wither.ts');
  writeFileSync(source, contents);
  buildSync({ entryPoints: [source], outfile, platform: 'node', ...options });
  const log: string[] = [];
  const lambda = { FunctionName: 'Wither', folder, Handler: 'index.handler', Code: {} };
  const wither = startExecutionEnvironment(lambda, 'http://127.0.0.1:1', (_, line) =>
    log.push(line),
  );
  finallyDo(() => wither.stop());
  for (const isLogged of [true, false]) {
    await wither.invoke(JSON.stringify({ isLogged }), newTrace());
  }
  const lines = log.filter((line) => line.includes('withered'));
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    expect(line).toContain(join(folder, place));
  }
});
