import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { subscribe } from '@parcel/watcher';
import type { Bundler } from '../../lib/bundle.ts';
import {
  areSame,
  assemble,
  currentSources,
  ownFiles,
  type Sources,
} from '../../lib/offline/assembly.ts';
import { digestOf } from '../../lib/offline/digest.ts';
import { describeFailure } from '../../lib/offline/failure.ts';
import { settingKey } from '../../lib/setting-facts.ts';
import type { Settings } from '../../lib/settings.ts';
import { messageOf, type Part } from '../command-line/lifecycle.ts';

const root = join(import.meta.dirname, '..', '..');
const bundleModule = new URL('../../lib/bundle.ts', import.meta.url).href;

/** How long files must stay the same. Git writes those of a checkout within a few milliseconds. */
const quietMs = 100;

/** Returns the sources once they are quiet, so that no checkout is served half done. */
async function quietSources(): Promise<Sources> {
  let before: Sources;
  let sources = currentSources();
  do {
    before = sources;
    await setTimeout(quietMs);
    sources = currentSources();
  } while (!areSame(sources, before));
  return sources;
}

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
  let hasEnded = false;

  /** Bundles the functions for the first time, which takes longer than the next times. */
  async function prepareBundler(): Promise<void> {
    if (bundler || hasEnded) {
      return;
    }
    try {
      // bundle.ts may have changed. A new query makes Node import it again.
      const module: typeof import('../../lib/bundle.ts') = await import(
        `${bundleModule}?${served.stack}`
      );
      const sourceMaps = context[settingKey('source-maps')] as Settings['source-maps'];
      bundler = await module.startBundler(sourceMaps);
      await bundler.bundleChanges(newFolder());
    } catch {
      // The next attempt to serve says what is wrong.
    }
  }

  /** Returns whether the sources are still those that were tried. */
  const isCurrent = () => areSame(currentSources(), tried);

  async function serve({ stack }: Sources): Promise<void> {
    const folder = newFolder();
    if (bundler && stack === served.stack) {
      console.error('Functions have changed: bundling …');
      const code = await bundler.bundleChanges(folder).catch((error) => {
        throw new Error(describeFailure(error));
      });
      if (isCurrent()) {
        await replace(served.assembly, code);
      }
      return;
    }
    console.error('The stack has changed: synthesizing …');
    await bundler?.stop();
    bundler = undefined;
    await assemble(folder, context);
    if (currentSources().stack === stack) {
      served = { assembly: folder, stack };
    }
    if (isCurrent()) {
      await replace(folder);
    }
  }

  async function tryToServe(): Promise<void> {
    const began = performance.now();
    const outcome = await serve(tried).then(
      () => {
        const seconds = ((performance.now() - began) / 1000).toFixed(1);
        return `New requests meet the new functions, after ${seconds} s.`;
      },
      (error) => `The functions stay as they were: ${messageOf(error)}`,
    );
    // Files that changed meanwhile are tried next, and may have been read half changed.
    if (isCurrent()) {
      console.error(outcome);
    }
  }

  async function checkForChanges(): Promise<void> {
    if (hasEnded) {
      return;
    }
    const ownBefore = own;
    own = digestOf(ownFiles());
    if (own !== ownBefore) {
      console.error('The code of npm start itself has changed: start it again to use it.');
    }
    // Prepared before the sources are looked at, and again after a synthesis, because it bundles as
    // the stack in use does.
    await prepareBundler();
    for (let next = await quietSources(); !areSame(next, tried); next = await quietSources()) {
      if (hasEnded) {
        return;
      }
      tried = next;
      await tryToServe();
      await prepareBundler();
    }
  }

  let lastCheck = checkForChanges();
  /** Checks again after the checks that were asked for before. */
  function checkAgain(): void {
    lastCheck = lastCheck.then(checkForChanges);
  }
  // Events only cause a check, because editors and git replace files in many ways.
  const subscription = await subscribe(root, checkAgain, {
    ignore: ['node_modules', '.git', '.plant-store', 'cdk.out'],
  });
  // A change before the subscription causes no event.
  checkAgain();
  return {
    async stop() {
      hasEnded = true;
      await subscription.unsubscribe();
      await bundler?.stop();
    },
  };
}
