import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const source = `
const { workerData: { module, outdir, context } } = require('node:worker_threads');
import(module).then(({ synthesize }) => {
  synthesize(outdir, context);
  process.exit();
});
`;

/**
 * Calls `synthesize(outdir, context)` of a module in a thread, so that requests are served
 * meanwhile and the module is read anew. Rejects with what it throws.
 */
export async function synthesizeInThread(
  outdir: string,
  context: Record<string, unknown> = {},
  module = new URL('../synthesize.ts', import.meta.url).href,
): Promise<void> {
  await once(new Worker(source, { eval: true, workerData: { module, outdir, context } }), 'exit');
}
