import { UnknownOutcome } from '../../functions/dynamodb/writes.ts';
import { AdministrationError } from '../administration/administration-error.ts';
import { explain } from '../administration/explain.ts';
import { onInterrupt } from './interrupt.ts';
import type { OwnerOptions } from './plants-table.ts';
import type { ProgressBar } from './progress-bar.ts';

export type WriteOptions = OwnerOptions & {
  onlyWriter: boolean;
};

/** Enough to hide the latency of AWS, and few enough for a table without earlier traffic. */
const concurrency = 32;

/**
 * Writes each item, several at a time. Takes no further item after Ctrl-C or a failure, waits for
 * the calls in progress, and then rejects with how far it came.
 */
export async function writeAll<T>(
  options: WriteOptions,
  items: (signal: AbortSignal) => AsyncGenerator<T>,
  write: (item: T) => Promise<void>,
  { bar, soFar }: { bar: ProgressBar; soFar: () => string },
): Promise<void> {
  const signal = onInterrupt();
  const all = items(signal);
  async function worker(): Promise<void> {
    // Leaving the loop, also by an error, ends the generator for all workers.
    for await (const item of all) {
      if (signal.aborted) {
        return;
      }
      await write(item);
    }
  }
  const results = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  bar.clear();
  const again = 'Repeat the command to continue.';
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) {
    const isUnknown = failure.reason instanceof UnknownOutcome;
    const what = isUnknown ? failure.reason.message : explain(failure.reason, options);
    const hint = isUnknown
      ? ` If no other caller writes plants of ${options.owner}, add --only-writer: the command ` +
        'then repeats such a write by itself.'
      : '';
    throw new AdministrationError(`${what} So far: ${soFar()}. ${again}${hint}`);
  }
  if (signal.aborted) {
    throw new AdministrationError(`interrupted: ${soFar()}. ${again}`);
  }
}
