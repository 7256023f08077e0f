import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const source = `
const { parentPort, workerData } = require('node:worker_threads');
const module = import(workerData);
module.catch(() => undefined);
parentPort.on('message', async ({ outdir, context }) => {
  try {
    (await module).synthesize(outdir, context);
    parentPort.postMessage({});
  } catch (error) {
    parentPort.postMessage({ error });
  }
});
`;

export interface SynthesisThread {
  /**
   * Synthesizes into the folder `outdir`, with CDK context. Rejects with what the module throws.
   */
  synthesize(outdir: string, context?: Record<string, unknown>): Promise<void>;
  stop(): Promise<unknown>;
}

/**
 * Starts a thread that calls `synthesize(outdir, context)` of a module, so that requests are served
 * meanwhile. The module is read once, when the thread starts.
 */
export function startSynthesisThread(
  module = new URL('../synthesize.ts', import.meta.url).href,
): SynthesisThread {
  const worker = new Worker(source, { eval: true, workerData: module });
  // Work keeps the process alive, waiting for work does not.
  worker.unref();
  return {
    async synthesize(outdir, context = {}) {
      worker.ref();
      worker.postMessage({ outdir, context });
      const [{ error }] = await once(worker, 'message');
      worker.unref();
      if (error) throw error;
    },
    stop: () => worker.terminate(),
  };
}

/** Synthesizes once, in a thread that ends with it. */
export async function synthesizeInThread(
  outdir: string,
  context?: Record<string, unknown>,
  module?: string,
): Promise<void> {
  const thread = startSynthesisThread(module);
  try {
    await thread.synthesize(outdir, context);
  } finally {
    await thread.stop();
  }
}
