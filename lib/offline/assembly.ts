import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { digestOf } from './digest.ts';
import type { Synthesis, SynthesisOutcome } from './synthesis-thread.ts';

const root = join(import.meta.dirname, '..', '..');
const cache = join(root, 'node_modules', '.cache', 'plant-store');

/** What an assembly depends on, beside the settings, this folder and Node. */
const patterns = {
  /** What the template is made of, and how the functions are bundled. */
  stack: [
    'lib/*.ts',
    'lib/constructs/**',
    'functions/shared/**',
    'cdk.json',
    'package*.json',
    'tsconfig.json',
    // What is installed may differ from what package-lock.json says.
    'node_modules/.package-lock.json',
  ],
  /** What else is in the functions' bundles. */
  functions: ['functions/**'],
};

/** The digests of the sources of the stack and of its functions. */
export interface Sources {
  stack: string;
  functions: string;
}

export const currentSources = (): Sources => ({
  stack: digestOf(files(patterns.stack)),
  functions: digestOf(files(patterns.functions)),
});

export const areSame = (a: Sources, b: Sources): boolean =>
  a.stack === b.stack && a.functions === b.functions;

/** The code that serves an assembly. */
export const ownFiles = (): string[] => files(['bin/**', 'lib/offline/**']);
export const sourceFiles = (): string[] => files(Object.values(patterns).flat());

/** Returns the paths of the files that match. A link to a folder stands for the files in it. */
function files(matching: string[], followed = new Set<string>()): string[] {
  const paths: string[] = [];
  for (const entry of globSync(matching, { cwd: root, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) {
      paths.push(path);
    }
    if (!entry.isSymbolicLink()) {
      continue;
    }
    const target = statSync(path, { throwIfNoEntry: false });
    if (target?.isFile()) {
      paths.push(path);
    }
    // A link can lead to a folder that it is in.
    if (target?.isDirectory() && !followed.has(realpathSync(path))) {
      followed.add(realpathSync(path));
      paths.push(...files([`${path}/**`], followed));
    }
  }
  return paths.sort();
}

/**
 * Writes the stack's assembly, synthesized with CDK context, into a new folder. The last assembly
 * for a context is cached, and used again if nothing that it depends on has changed. Returns the
 * digests of the sources that it was made from.
 */
export async function assemble(
  folder: string,
  context: Record<string, unknown> = {},
  synthesize = synthesizeInThread,
): Promise<Sources> {
  // CDK reads more settings from variables whose names begin like this.
  const variables = Object.entries(process.env).filter(([name]) => /^(CDK|JSII)_/.test(name));
  const settings = serialize([format, context, variables.sort(), process.version, root]);
  const file = join(cache, createHash('sha256').update(settings).digest('hex'));
  const sources = currentSources();

  const cached = read(file);
  if (cached && areSame(cached.sources, sources)) {
    for (const [path, content] of Object.entries(cached.files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
  } else {
    await synthesize(folder, context);
    // A source that has changed meanwhile may be in the assembly or not.
    if (areSame(currentSources(), sources)) {
      write(file, { sources, files: pack(folder) });
    }
  }
  return sources;
}

/** Raise when `CachedAssembly` changes, so that old cache files are not read. */
const format = 2;

/** An assembly in one file, because a file is replaced at once and a folder is not. */
interface CachedAssembly {
  sources: Sources;
  /** The contents by path. */
  files: Record<string, Buffer>;
}

function read(file: string): CachedAssembly | undefined {
  try {
    return deserialize(readFileSync(file));
  } catch {
    return undefined;
  }
}

function write(file: string, assembly: CachedAssembly): void {
  // Processes in two containers may have the same id.
  const unfinished = `${file}.${randomUUID()}`;
  try {
    mkdirSync(cache, { recursive: true });
    writeFileSync(unfinished, serialize(assembly));
    renameSync(unfinished, file);
  } catch {
    // A folder that cannot be written costs time only.
    rmSync(unfinished, { force: true });
  }
}

function pack(folder: string): CachedAssembly['files'] {
  // CDK has copied the bundles into assets.
  const paths = globSync('**', { cwd: folder, exclude: ['bundles/**'] });
  const files = paths.filter((path) => statSync(join(folder, path)).isFile());
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path))]));
}

/**
 * Calls `synthesize(outdir, context)` of a module in a thread, so that requests are served
 * meanwhile and the module is read anew. Rejects with a description of what it throws.
 */
export async function synthesizeInThread(
  outdir: string,
  context: Record<string, unknown> = {},
  module = new URL('../synthesize.ts', import.meta.url).href,
): Promise<void> {
  const workerData: Synthesis = { module, outdir, context };
  const thread = new Worker(new URL('./synthesis-thread.ts', import.meta.url), { workerData });
  let outcome: SynthesisOutcome = {
    failure: 'The process exited while the stack was synthesized. Look for process.exit in lib.',
  };
  thread.on('message', (message: SynthesisOutcome) => {
    outcome = message;
  });
  await once(thread, 'exit');
  if (outcome.failure !== undefined) {
    throw new Error(outcome.failure);
  }
}
