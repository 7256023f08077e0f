import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync, type Metafile } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** The functions that are deployed, by the name of the entry file in `functions/`. */
export const entries = ['create-plant', 'list-plants', 'delete-plant', 'authorize'] as const;
export type Entry = (typeof entries)[number];

/** The handler's file. Only an ES module can await priming before Lambda counts the function as ready. */
const start = `import bundle from './index.js';
await bundle.prime();
export const handler = bundle.handler;
`;

/**
 * Bundles all functions, each into `folder/ENTRY`: `index.js` and `start.mjs`, whose handler is `start.handler`.
 * Returns what went into each bundle. Source maps are for a debugger.
 */
export function bundle(folder: string, { sourceMaps = false } = {}): Metafile {
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => `functions/${entry}.ts`),
    outdir: folder,
    entryNames: '[name]/index',
    metafile: true,
    bundle: true,
    minify: !sourceMaps,
    // Inline and absolute, so that a debugger finds the sources wherever the bundle runs.
    sourcemap: sourceMaps && 'inline',
    // The maps name their sources relative to the bundles, which all lie equally deep.
    sourceRoot: `${pathToFileURL(join(folder, entries[0]))}/`,
    platform: 'node',
    target: 'node24',
    // CommonJS without import(), because either makes Node load its fetch and HTTP/2 at start.
    format: 'cjs',
    supported: { 'dynamic-import': false },
    // The ES modules of packages can be tree-shaken.
    mainFields: ['module', 'main'],
    // A function's credentials come from its environment. The chain that looks for others is 135 KB.
    alias: {
      '@aws-sdk/credential-provider-node': join(root, 'functions', 'environment-credentials.ts'),
    },
  });
  for (const entry of entries) writeFileSync(join(folder, entry, 'start.mjs'), start);
  return metafile;
}
