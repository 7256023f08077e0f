import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type BuildOptions, buildSync } from 'esbuild';
import { startExecutionEnvironment } from '../../lib/emulator/lambda/execution-environment.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';

const source = `
export async function handler(event: { isLogged: boolean }) {
  const error: Error = new Error('withered');
  if (event.isLogged) console.error({ code: 'WITHERED', cause: { stack: error.stack } });
  else throw error;
}
`;

/** Returns what a bundled function logs when it logs an error, and when it throws one. */
async function logOf({ sourcemap = false, format = 'cjs' }: BuildOptions) {
  const folder = join(temporaryFolder(), "an odd földer's");
  mkdirSync(folder);
  const file = join(folder, 'wither.ts');
  writeFileSync(file, source);
  const outfile = join(folder, 'bundle', format === 'esm' ? 'index.mjs' : 'index.js');
  buildSync({ entryPoints: [file], outfile, sourcemap, format, platform: 'node' });
  const lines: string[] = [];
  const environment = startExecutionEnvironment(
    {
      FunctionName: 'Wither',
      folder: join(folder, 'bundle'),
      Handler: 'index.handler',
      Code: { S3Key: '' },
    },
    'http://127.0.0.1:1',
    (_, line) => lines.push(line),
  );
  finallyDo(() => environment.stop());
  for (const isLogged of [true, false]) await environment.invoke(JSON.stringify({ isLogged }));
  return { file, lines: lines.filter((line) => line.includes('withered')) };
}

test.each<Required<BuildOptions>['format']>(['cjs', 'esm'])(
  'the stacks of a bundle in %s with source maps point to its sources',
  async (format) => {
    const { file, lines } = await logOf({ sourcemap: 'linked', format });
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toContain(`${file}:3:24`);
  },
);

test('the stacks of a bundle without source maps stay as they are', async () => {
  const { lines } = await logOf({});
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).toContain('/bundle/index.js:');
});
