import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { describeFailure } from './failure.ts';

export interface Synthesis {
  /** The URL of a module with a function `synthesize(outdir, context)`. */
  module: string;
  outdir: string;
  context: Record<string, unknown>;
}

export interface SynthesisOutcome {
  /** What went wrong, in words. */
  failure?: string;
}

// Otherwise CDK's own frames would push ours out of the stack.
Error.stackTraceLimit = 100;
// CDK hands these streams on to the processes that bundle for it. A thread's lack a descriptor.
Object.assign(process.stdout, { fd: 1 });
Object.assign(process.stderr, { fd: 2 });

const { module, outdir, context }: Synthesis = workerData;
const outcome: SynthesisOutcome = {};
process.on('unhandledRejection', (error) => {
  outcome.failure ??= describeFailure(error);
});
try {
  const { synthesize } = await import(module);
  synthesize(outdir, context);
  // Node tells of a rejection that nothing handles after the code that it comes from. It would end
  // `npx cdk deploy`.
  await setImmediate();
} catch (error) {
  outcome.failure = describeFailure(error, module);
}
parentPort?.postMessage(outcome);
process.exit();
