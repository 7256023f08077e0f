import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type BuildOptions,
  type BuildResult,
  buildSync,
  context,
  type Metafile,
  type OutputFile,
} from 'esbuild';
import type { Operation } from '../functions/shared/operations.ts';
import type { Settings } from './settings.ts';

const root = join(import.meta.dirname, '..');

// `npm start -- --watch` imports this file with a new query after a change, and these facts too.
const { search } = new URL(import.meta.url);
const anew = (name: string) =>
  new URL(`../functions/shared/${name}${search}`, import.meta.url).href;
type Operations = typeof import('../functions/shared/operations.ts');
type Variables = typeof import('../functions/shared/environment-variables.ts');
const { operations }: Operations = await import(anew('operations.ts'));
const { environment }: Variables = await import(anew('environment-variables.ts'));

export type FunctionName = Capitalize<Operation> | 'Authorizer';
export type Entry = (typeof operations)[Operation]['entry'] | 'authorize';

/** Returns the name of the function of an operation. */
export const functionOf = <O extends Operation>(operation: O): Capitalize<O> =>
  `${operation.charAt(0).toUpperCase()}${operation.slice(1)}` as Capitalize<O>;

/** The name of the entry file in `functions/` of each function that is deployed. */
export const entryOf = {
  ...Object.fromEntries(
    Object.entries(operations).map(([name, { entry }]) => [functionOf(name as Operation), entry]),
  ),
  Authorizer: 'authorize',
} as Record<FunctionName, Entry>;
const entries = Object.values(entryOf);
/** The entries of the functions that serve requests. */
export const requestEntries: Entry[] = [
  ...Object.values(operations).map(({ entry }) => entry),
  'authorize',
];

/**
 * Parts of the SDK that a stub stands in for, with the modules that the stub is made for.
 * functions/dynamodb/stubs.ts says why.
 */
const stubUsers: Record<string, RegExp> = {
  '@aws-sdk/credential-provider-node': /@aws-sdk\/client-[\w-]+\/dist-es\/runtimeConfig\.js$/,
  '@smithy/core/checksum': /@aws-sdk\/client-dynamodb\/dist-es\//,
  '@smithy/core/config': /@(aws-sdk\/(client-dynamodb|core)|smithy\/core)\/dist-es\//,
  '@smithy/core/event-streams': /@smithy\/core\/dist-es\/submodules\/protocols\//,
};
const stubbed = Object.keys(stubUsers);
const stubs = join(root, 'functions', 'dynamodb', 'stubs.ts');

/**
 * The handler's file. Only an ES module can await the warm-up before Lambda counts the function as
 * ready. It requires the bundle, because for an import Node would read and scan it several times.
 */
const start = `import { createRequire } from 'node:module';
const bundle = createRequire(import.meta.url)('./index.js');
if (!process.env.${environment.withoutWarmUp}) await bundle.warmUp();
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
    // What goes wrong is in the error that a build throws.
    logLevel: 'silent',
    entryNames: '[name]/index',
    metafile: true,
    bundle: true,
    // Without it, loading and the first call take 1.05 times as long.
    minify: sourceMaps === 'off',
    sourcemap: sourceMaps !== 'off' && sourceMaps,
    // The maps name their sources relative to the bundles, which all lie equally deep.
    sourceRoot: `${pathToFileURL(join(outdir, entryOf.Authorizer))}/`,
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

type Options = ReturnType<typeof buildOptions> & Pick<BuildOptions, 'nodePaths'>;
type Build = BuildResult<Options>;

/** The imports of a module that is not among the users of the stub for what it imports. */
const importsOfOthers = ({ inputs }: Metafile, file: string) =>
  (inputs[file]?.imports ?? []).filter(
    ({ original, path }) => stubUsers[original ?? path]?.test(file) === false,
  );

/** Tells whether every stub of a build stands in for modules that it is made for. */
const doStubsSuffice = ({ metafile }: Build) =>
  !Object.keys(metafile.inputs)
    .flatMap((file) => importsOfOthers(metafile, file))
    .some(({ path }) => join(root, path) === stubs);

/**
 * Returns how to bundle functions of which some need real parts in place of stubs. Those that need
 * the same parts are bundled together.
 */
function withRealParts(options: Options): Options[] {
  const { metafile } = buildSync({ ...options, alias: {}, external: stubbed });
  const groups = new Map<string, { parts: Set<string>; entryPoints: string[] }>();
  for (const { inputs, entryPoint } of Object.values(metafile.outputs)) {
    const imports = Object.keys(inputs).flatMap((file) => importsOfOthers(metafile, file));
    const parts = new Set(imports.map(({ original, path }) => original ?? path));
    const key = JSON.stringify([...parts].sort());
    const group = groups.get(key) ?? { parts, entryPoints: [] };
    groups.set(key, group);
    if (entryPoint !== undefined) {
      group.entryPoints.push(entryPoint);
    }
  }
  return [...groups.values()].map(({ parts, entryPoints }) => {
    const alias = Object.entries(options.alias).filter(([part]) => !parts.has(part));
    return { ...options, entryPoints, alias: Object.fromEntries(alias) };
  });
}

/**
 * Bundles functions. A part of the SDK that a function needs for more than its stub does is bundled
 * for that function.
 */
export function build(options: Options): Build[] {
  const built = buildWithStubs(options);
  if (built && doStubsSuffice(built)) {
    return [built];
  }
  return withRealParts(options).map((each) => buildSync(each));
}

/** Returns undefined if a stub lacks what a function needs, or if the code is faulty. */
function buildWithStubs(options: Options): Build | undefined {
  try {
    return buildSync(options);
  } catch {
    // A build without stubs throws an error that says what is wrong with the code.
    return undefined;
  }
}

/**
 * Bundles all functions, each into `folder/ENTRY`: `index.js` and `start.mjs`, whose handler is
 * `start.handler`. Returns what went into each bundle.
 */
export function bundle(folder: string, sourceMaps?: Settings['source-maps']): Metafile {
  const builds = build(buildOptions(sourceMaps));
  for (const { outputFiles } of builds) {
    write(outputFiles, folder);
  }
  return {
    inputs: Object.assign({}, ...builds.map(({ metafile }) => metafile.inputs)),
    outputs: Object.assign({}, ...builds.map(({ metafile }) => metafile.outputs)),
  };
}

export interface Bundler {
  /**
   * Does what `bundle` does, but reads only files that have changed since the last time. Returns
   * the folder of each function.
   */
  bundleChanges(folder: string): Promise<Record<FunctionName, string>>;
  stop(): Promise<void>;
}

export async function startBundler(sourceMaps?: Settings['source-maps']): Promise<Bundler> {
  const options = buildOptions(sourceMaps);
  let builds = [await context(options)];
  const rebuild = () => Promise.all(builds.map((each) => each.rebuild()));
  const stop = async (): Promise<void> => {
    await Promise.all(builds.map((each) => each.dispose()));
  };
  async function bundleChanges(folder: string): Promise<Record<FunctionName, string>> {
    let built = await rebuild().catch(() => []);
    if (built.length === 0 || !built.every(doStubsSuffice)) {
      const next = withRealParts(options);
      await stop();
      builds = await Promise.all(next.map((each) => context(each)));
      built = await rebuild();
    }
    for (const { outputFiles } of built) {
      write(outputFiles, folder);
    }
    const folders = Object.entries(entryOf).map(([name, entry]) => [name, join(folder, entry)]);
    return Object.fromEntries(folders);
  }
  return { bundleChanges, stop };
}

function write(bundles: OutputFile[], folder: string): void {
  for (const { path, contents } of bundles) {
    const file = join(folder, relative(outdir, path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
    writeFileSync(join(dirname(file), 'start.mjs'), start);
  }
}
