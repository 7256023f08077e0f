import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** The functions that are deployed, by the name of the entry file in `functions/`. */
export const entries = ['create-plant', 'list-plants', 'delete-plant', 'authorize'] as const;
export type Entry = (typeof entries)[number];

/**
 * Parts of the SDK, and a module of Node, that a stub stands in for. functions/sdk/stubs.ts says
 * why.
 */
export const stubbed = [
  '@aws-sdk/credential-provider-node',
  '@aws-sdk/middleware-endpoint-discovery',
  '@smithy/core/event-streams',
  'node:fs/promises',
];
const stubs = join(root, 'functions', 'sdk', 'stubs.ts');

/**
 * The handler's file. Only an ES module can await priming before Lambda counts the function as
 * ready.
 */
const start = `import bundle from './index.js';
await bundle.prime();
export const handler = bundle.handler;
`;

/** Returns how esbuild bundles all functions, each into `folder/ENTRY/index.js`. */
export const buildOptions = (folder: string, sourceMaps = false) =>
  ({
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
    alias: Object.fromEntries(stubbed.map((part) => [part, stubs])),
    inject: [stubs],
  }) satisfies BuildOptions;

/**
 * Bundles all functions, each into `folder/ENTRY`: `index.js` and `start.mjs`, whose handler is
 * `start.handler`. Returns what went into each bundle. Source maps are for a debugger.
 */
export function bundle(folder: string, { sourceMaps = false } = {}): Metafile {
  const { metafile } = buildSync(buildOptions(folder, sourceMaps));
  for (const entry of entries) writeFileSync(join(folder, entry, 'start.mjs'), start);
  return metafile;
}
