import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';

const root = join(import.meta.dirname, '..');
const cache = join(root, 'node_modules', '.cache', 'plant-store');

/** The handler's file: as ES module it can await, before Lambda is told that the function is ready, that the bundle has been primed. */
const start = `import bundle from './index.js';
await bundle.prime();
export const handler = bundle.handler;
`;

/**
 * Bundles a function's entry file (its path from the project's root) and returns the folder that holds it: `index.js` and `start.mjs`,
 * whose handler is `start.handler`; with source maps, for a debugger. The same sources give the same folder.
 */
export function bundle(entry: string, { sourceMaps = false } = {}): string {
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir: cache,
    bundle: true,
    minify: !sourceMaps,
    // Inline and with absolute URLs, a debugger finds the sources from wherever the bundle runs.
    sourcemap: sourceMaps && 'inline',
    sourceRoot: `${pathToFileURL(cache)}/`,
    write: false,
    platform: 'node',
    target: 'node24',
    // CommonJS without any import(): each alone makes Node load its fetch and HTTP/2 stack at start. The packages' ES modules can be tree-shaken.
    format: 'cjs',
    mainFields: ['module', 'main'],
    supported: { 'dynamic-import': false },
    // A function's credentials come from its environment; the chain that looks for others is 135 KB.
    alias: {
      '@aws-sdk/credential-provider-node': join(root, 'functions', 'environment-credentials.ts'),
    },
  });
  const [code] = outputFiles.map(({ contents }) => contents);
  if (!code) throw new Error(`No bundle for ${entry}.`);

  const hash = createHash('sha256').update(code).update(start).digest('hex').slice(0, 16);
  const folder = join(cache, `${basename(entry, '.ts')}-${hash}`);
  if (!existsSync(folder)) {
    // Written aside and renamed: another process that bundles the same sources never sees half of it.
    const unfinished = `${folder}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true });
    writeFileSync(join(unfinished, 'index.js'), code);
    writeFileSync(join(unfinished, 'start.mjs'), start);
    try {
      renameSync(unfinished, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
      rmSync(unfinished, { recursive: true });
    }
  }
  return folder;
}
