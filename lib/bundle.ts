import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, buildSync, context, type Metafile, type OutputFile } from 'esbuild';
import type { Settings } from './settings.ts';

const root = join(import.meta.dirname, '..');

/** The name of the entry file in `functions/` of each function that is deployed. */
export const entryOf = {
  CreatePlant: 'create-plant',
  ListPlants: 'list-plants',
  DeletePlant: 'delete-plant',
  Authorizer: 'authorize',
} as const;
export type FunctionName = keyof typeof entryOf;
export type Entry = (typeof entryOf)[FunctionName];
export const entries: Entry[] = Object.values(entryOf);

/**
 * Parts of the SDK that a stub stands in for.
 * functions/dynamodb/stubs.ts says why.
 */
export const stubbed = [
  '@aws-sdk/credential-provider-node',
  '@aws-sdk/middleware-endpoint-discovery',
  '@smithy/core/config',
  '@smithy/core/event-streams',
];
const stubs = join(root, 'functions', 'dynamodb', 'stubs.ts');

/**
 * The handler's file. Only an ES module can await priming before Lambda counts the function as
 * ready. It requires the bundle, because for an import Node would read and scan it several times.
 */
const start = `import { createRequire } from 'node:module';
const bundle = createRequire(import.meta.url)('./index.js');
await bundle.prime();
export const handler = bundle.handler;
`;

/** A nominal folder, which `write` replaces, so that bundles are equal everywhere. */
const outdir = join(root, 'bundles');

/** Returns how esbuild bundles all functions, each into `ENTRY/index.js`. */
export const buildOptions = (sourceMaps: Settings['source-maps'] = 'off') =>
  ({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => `functions/${entry}.ts`),
    outdir,
    write: false,
    entryNames: '[name]/index',
    metafile: true,
    bundle: true,
    // Without it, loading and the first call take 1.05 times as long.
    minify: sourceMaps === 'off',
    sourcemap: sourceMaps !== 'off' && sourceMaps,
    // The maps name their sources relative to the bundles, which all lie equally deep.
    sourceRoot: `${pathToFileURL(join(outdir, entryOf.CreatePlant))}/`,
    platform: 'node',
    target: 'node24',
    // An ES module takes 1.69 times as long and an import() 1.58, because either makes Node load
    // its fetch and HTTP/2 at start.
    format: 'cjs',
    supported: { 'dynamic-import': false },
    // The ES modules of packages can be tree-shaken. CommonJS ones take 1.81 times as long.
    mainFields: ['module', 'main'],
    alias: Object.fromEntries(stubbed.map((part) => [part, stubs])),
    inject: [stubs],
  }) satisfies BuildOptions;

/**
 * Bundles all functions, each into `folder/ENTRY`: `index.js` and `start.mjs`, whose handler is
 * `start.handler`. Returns what went into each bundle.
 */
export function bundle(folder: string, sourceMaps?: Settings['source-maps']): Metafile {
  const { metafile, outputFiles } = buildSync(buildOptions(sourceMaps));
  write(outputFiles, folder);
  return metafile;
}

export interface Bundler {
  /**
   * Does what `bundle` does, but reads only files that have changed since the last time. Returns
   * the folder of each function.
   */
  bundle(folder: string): Promise<Record<FunctionName, string>>;
  stop(): Promise<void>;
}

export async function startBundler(sourceMaps?: Settings['source-maps']): Promise<Bundler> {
  const builds = await context(buildOptions(sourceMaps));
  return {
    async bundle(folder) {
      write((await builds.rebuild()).outputFiles, folder);
      const folders = Object.entries(entryOf).map(([name, entry]) => [name, join(folder, entry)]);
      return Object.fromEntries(folders);
    },
    stop: () => builds.dispose(),
  };
}

function write(bundles: OutputFile[], folder: string): void {
  for (const { path, contents } of bundles) {
    const file = join(folder, relative(outdir, path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
    writeFileSync(join(dirname(file), 'start.mjs'), start);
  }
}
