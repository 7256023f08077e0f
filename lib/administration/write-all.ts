import { setTimeout } from 'node:timers/promises';
import { isThrottlingError } from '@smithy/core/retry';
import { UnknownOutcome } from '../../functions/dynamodb/errors.ts';
import { CommandError } from '../command-line/command-error.ts';
import { formatCount } from '../command-line/format-count.ts';
import { clearProgress, onInterrupt } from './progress.ts';
import type { Target } from './target.ts';

/** Writes in progress at a time: they hide the latency of AWS, and a new table can take them. */
const concurrency = 32;

/**
 * Writes the items, several at a time. After a failure, takes no further item, waits for the writes
 * in progress and throws a CommandError with the progress.
 */
export async function writeAll<T>(
  { explain }: Pick<Target, 'explain'>,
  items: AsyncGenerator<T>,
  write: (item: T) => Promise<void>,
  soFar: () => string,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const unknown: UnknownOutcome[] = [];
  const failures: unknown[] = [];
  const failed = Promise.withResolvers<undefined>();
  const hasFailed = () => unknown.length + failures.length > 0;
  const state = () => `So far: ${soFar()}. Repeat the command.`;
  onInterrupt(() => `${describeDoubt(running.size + unknown.length)}${state()}`);

  async function writeItem(item: T): Promise<void> {
    try {
      await retryWhileThrottled(() => write(item));
    } catch (error) {
      if (error instanceof UnknownOutcome) {
        unknown.push(error);
      } else {
        failures.push(error);
      }
      failed.resolve(undefined);
    }
  }

  try {
    while (!hasFailed()) {
      // The next item may not come before a write fails.
      const next = await Promise.race([items.next(), failed.promise]);
      if (next === undefined || next.done) {
        break;
      }
      const writing = writeItem(next.value).finally(() => running.delete(writing));
      running.add(writing);
      if (running.size === concurrency) {
        await Promise.race(running);
      }
    }
  } catch (error) {
    failures.push(error);
  }
  await Promise.all(running);
  clearProgress();
  if (hasFailed()) {
    const problem = failures.length > 0 ? `${explain(failures[0])} ` : '';
    throw new CommandError(`${describeDoubt(unknown.length, unknown[0])}${problem}${state()}`);
  }
}

/** Returns a sentence about writes with an unknown outcome, or an empty string. */
function describeDoubt(writes: number, example?: UnknownOutcome): string {
  const reason = example ? ` (${(example.cause as Error).message})` : '';
  return writes > 0 ? `The outcome of ${formatCount(writes, 'write')} is unknown${reason}. ` : '';
}

/** Retries a call while DynamoDB throttles it, for half a minute at most. */
export async function retryWhileThrottled<T>(call: () => Promise<T>): Promise<T> {
  for (let pause = 500; ; pause *= 2) {
    try {
      return await call();
    } catch (error) {
      if (!isThrottlingError(error as Parameters<typeof isThrottlingError>[0]) || pause > 16_000) {
        throw error;
      }
      await setTimeout(pause * (0.5 + Math.random() / 2));
    }
  }
}
