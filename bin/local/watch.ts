import { join } from 'node:path';
import { subscribe } from '@parcel/watcher';
import { appFiles, assemble, digestOf, ownFiles, sourceFiles } from '../../lib/local/assembly.ts';
import { startSynthesisThread } from '../../lib/local/synthesis-thread.ts';
import { messageOf, type Part } from './lifecycle.ts';

const root = join(import.meta.dirname, '..', '..');

/**
 * Assembles the stack anew whenever its sources differ from those with the digest `served`, and
 * calls `replace` with the new assembly. If either fails, the old functions stay.
 */
export async function watchSources(
  served: string,
  newFolder: () => string,
  context: Record<string, unknown>,
  replace: (assembly: string) => void,
): Promise<Part> {
  // A thread that has the CDK loaded saves a change of a function most of its second.
  let thread = startSynthesisThread();
  let app = digestOf(appFiles());
  const synthesize: typeof thread.synthesize = async (outdir, context) => {
    const current = digestOf(appFiles());
    if (current !== app) {
      await thread.stop();
      thread = startSynthesisThread();
      app = current;
    }
    return thread.synthesize(outdir, context);
  };

  let own = digestOf(ownFiles());
  async function rebuild(): Promise<void> {
    if (own !== digestOf(ownFiles())) {
      own = digestOf(ownFiles());
      console.error('The code of npm start itself has changed: start it again to use it.');
    }
    const wanted = digestOf(sourceFiles());
    if (wanted === served) return;
    console.error('The sources have changed: building …');
    const began = performance.now();
    try {
      const assembly = newFolder();
      served = await assemble(assembly, context, synthesize);
      replace(assembly);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.error(`New requests meet the new functions, after ${seconds} s.`);
    } catch (error) {
      // Not tried again before the next change.
      served = wanted;
      console.error(`The functions stay as they were: ${messageOf(error)}`);
    }
  }

  let queue = synthesize(newFolder()).catch(() => undefined);
  // Events only cause a look, because editors and git replace files in many ways.
  const look = () => {
    queue = queue.then(rebuild);
  };
  const subscription = await subscribe(root, look, {
    ignore: ['node_modules', '.git', '.plant-store', 'cdk.out'],
  });
  // What has changed before the subscription causes no event.
  look();
  return { stop: () => subscription.unsubscribe() };
}
