import { join } from 'node:path';
import { subscribe } from '@parcel/watcher';
import {
  areSame,
  assemble,
  currentSources,
  digestOf,
  ownFiles,
  type Sources,
} from '../../lib/assembly/assembly.ts';
import type { Bundler } from '../../lib/bundle.ts';
import type { Settings } from '../../lib/settings.ts';
import { messageOf, type Part } from '../command-line/lifecycle.ts';

const root = join(import.meta.dirname, '..', '..');
const bundleModule = new URL('../../lib/bundle.ts', import.meta.url).href;

/** What is served: an assembly, and the sources that it was made from. */
export interface Served {
  assembly: string;
  sources: Sources;
}

/**
 * Calls `replace` whenever the sources differ from those that are served. If only functions have
 * changed, they are bundled and the assembly stays; otherwise the stack is synthesized anew. If
 * either fails, the old functions stay.
 */
export async function watchSources(
  { assembly, sources: served }: Served,
  newFolder: () => string,
  context: Record<string, unknown>,
  replace: (assembly: string, code?: Record<string, string>) => void,
): Promise<Part> {
  let { stack } = served;
  let bundler: Bundler | undefined;

  /** Bundles the functions for the first time, which takes longer than the next times. */
  async function prepareBundler(): Promise<void> {
    // The module belongs to the stack's sources. Node reads it once for each address.
    const module: typeof import('../../lib/bundle.ts') = await import(`${bundleModule}?${stack}`);
    bundler = await module.startBundler(
      context['plant-store:source-maps'] as Settings['source-maps'],
    );
    await bundler.bundle(newFolder());
  }

  async function serve(wanted: Sources): Promise<void> {
    const folder = newFolder();
    if (bundler && wanted.stack === stack) {
      console.error('Functions have changed: bundling …');
      replace(assembly, await bundler.bundle(folder));
    } else {
      console.error('The stack has changed: synthesizing …');
      await bundler?.stop();
      bundler = undefined;
      await assemble(folder, context);
      replace(folder);
      [assembly, stack] = [folder, wanted.stack];
    }
  }

  let own = digestOf(ownFiles());
  async function checkForChanges(): Promise<void> {
    if (own !== digestOf(ownFiles())) {
      own = digestOf(ownFiles());
      console.error('The code of npm start itself has changed: start it again to use it.');
    }
    const wanted = currentSources();
    if (!areSame(wanted, served)) await tryToServe(wanted);
    // Prepare the bundler before the next check, which must not bundle as the old stack did.
    if (!bundler) await prepareBundler().catch(() => undefined);
  }

  async function tryToServe(wanted: Sources): Promise<void> {
    // A failed attempt is not repeated before the next change.
    served = wanted;
    const began = performance.now();
    try {
      await serve(wanted);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.error(`New requests meet the new functions, after ${seconds} s.`);
    } catch (error) {
      console.error(`The functions stay as they were: ${messageOf(error)}`);
    }
  }

  let queue = checkForChanges();
  // Events only cause a check, because editors and git replace files in many ways.
  const subscription = await subscribe(root, () => (queue = queue.then(checkForChanges)), {
    ignore: ['node_modules', '.git', '.plant-store', 'cdk.out'],
  });
  // A change before the subscription causes no event.
  queue = queue.then(checkForChanges);
  return { stop: () => subscription.unsubscribe() };
}
