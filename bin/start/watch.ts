import { join } from 'node:path';
import { subscribe } from '@parcel/watcher';
import type { Bundler } from '../../lib/bundle.ts';
import {
  areSame,
  assemble,
  currentSources,
  digestOf,
  ownFiles,
  type Sources,
} from '../../lib/offline/assembly.ts';
import { settingKey } from '../../lib/setting-facts.ts';
import type { Settings } from '../../lib/settings.ts';
import { messageOf, type Part } from '../command-line/lifecycle.ts';

const root = join(import.meta.dirname, '..', '..');
const bundleModule = new URL('../../lib/bundle.ts', import.meta.url).href;

/**
 * Calls `replace` whenever the sources differ from those of the assembly that is served. If only
 * functions have changed, they are bundled and the assembly stays; otherwise the stack is
 * synthesized anew. If either fails, the old functions stay.
 */
export async function watchSources(
  { assembly, sources }: { assembly: string; sources: Sources },
  newFolder: () => string,
  context: Record<string, unknown>,
  replace: (assembly: string, code?: Record<string, string>) => Promise<void>,
): Promise<Part> {
  /** What is served, and the stack's sources that it was made from. */
  let served = { assembly, stack: sources.stack };
  /** The sources of the last attempt, which is not repeated if it failed. */
  let tried = sources;
  let own = digestOf(ownFiles());
  /** Bundles as the stack in use does. */
  let bundler: Bundler | undefined;

  /** Bundles the functions for the first time, which takes longer than the next times. */
  async function prepareBundler(): Promise<void> {
    // bundle.ts may have changed. A new query makes Node import it again.
    const module: typeof import('../../lib/bundle.ts') = await import(
      `${bundleModule}?${served.stack}`
    );
    const sourceMaps = context[settingKey('source-maps')] as Settings['source-maps'];
    bundler = await module.startBundler(sourceMaps);
    await bundler.bundleChanges(newFolder());
  }

  async function serve({ stack }: Sources): Promise<void> {
    const folder = newFolder();
    if (bundler && stack === served.stack) {
      console.error('Functions have changed: bundling …');
      await replace(served.assembly, await bundler.bundleChanges(folder));
      return;
    }
    console.error('The stack has changed: synthesizing …');
    await bundler?.stop();
    bundler = undefined;
    await assemble(folder, context);
    await replace(folder);
    served = { assembly: folder, stack };
  }

  async function tryToServe(): Promise<void> {
    const began = performance.now();
    try {
      await serve(tried);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.error(`New requests meet the new functions, after ${seconds} s.`);
    } catch (error) {
      console.error(`The functions stay as they were: ${messageOf(error)}`);
    }
  }

  async function checkForChanges(): Promise<void> {
    const ownBefore = own;
    own = digestOf(ownFiles());
    if (own !== ownBefore)
      console.error('The code of npm start itself has changed: start it again to use it.');
    const before = tried;
    tried = currentSources();
    if (!areSame(tried, before)) await tryToServe();
    // Prepare the bundler before the next check, which must not bundle as the old stack did.
    if (!bundler) await prepareBundler().catch(() => undefined);
  }

  let queue = checkForChanges();
  // Events only cause a check, because editors and git replace files in many ways.
  const subscription = await subscribe(root, () => (queue = queue.then(checkForChanges)), {
    ignore: ['node_modules', '.git', '.plant-store', 'cdk.out'],
  });
  // A change before the subscription causes no event.
  queue = queue.then(checkForChanges);
  return {
    async stop() {
      await subscription.unsubscribe();
      await bundler?.stop();
    },
  };
}
