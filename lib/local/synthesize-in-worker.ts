import { Worker } from 'node:worker_threads';

const source = `
const { parentPort, workerData } = require('node:worker_threads');
import(workerData.synthesize).then(({ synthesize }) => parentPort.postMessage(synthesize(workerData.outdir, workerData.context).directory));
`;

/**
 * Synthesizes the stack, with CDK context, into a folder, in a thread of its own: whoever is served meanwhile does not wait, and code that has changed is read anew.
 * Returns the folder. Rejects with what `synthesize` throws.
 */
export function synthesizeInWorker(
  outdir: string,
  context: Record<string, unknown> = {},
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const workerData = {
    outdir,
    context,
    synthesize: new URL('../synthesize.ts', import.meta.url).href,
  };
  new Worker(source, { eval: true, workerData }).once('message', resolve).once('error', reject);
  return promise;
}
