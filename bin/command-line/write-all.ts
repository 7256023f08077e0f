import { setTimeout } from 'node:timers/promises';
import { isThrottlingError } from '@smithy/core/retry';
import { UnknownOutcome } from '../../functions/dynamodb/writes.ts';
import { CommandError } from './command-error.ts';
import { explain } from './explain.ts';
import { clearProgress, onInterrupt } from './progress.ts';
import type { TargetOptions } from './target.ts';

/** Enough to hide the latency of AWS, and few enough for a table without earlier traffic. */
const concurrency = 32;

/**
 * Writes each item, several at a time. After a failure it takes no further item, waits for the
 * writes in progress, and then throws a CommandError that says how far it came.
 */
export async function writeAll<T>(
  options: TargetOptions,
  items: AsyncGenerator<T>,
  write: (item: T) => Promise<void>,
  soFar: () => string,
): Promise<void> {
  let inProgress = 0;
  let unknown = 0;
  const failures: unknown[] = [];
  const stopped = Promise.withResolvers<void>();
  function state(open: number): string {
    const doubt = open > 0 ? ` Of ${open} more it is unknown whether the write took effect.` : '';
    return `So far: ${soFar()}.${doubt} Repeat the command.`;
  }
  onInterrupt(() => state(inProgress + unknown));

  async function worker(): Promise<void> {
    for await (const item of items) {
      if (failures.length > 0) {
        return;
      }
      inProgress += 1;
      try {
        await whileThrottled(() => write(item));
      } catch (error) {
        unknown += error instanceof UnknownOutcome ? 1 : 0;
        failures.push(error);
      }
      inProgress -= 1;
      if (failures.length > 0 && inProgress === 0) {
        stopped.resolve();
      }
    }
  }
  const workers = Promise.allSettled(Array.from({ length: concurrency }, worker)).then(
    (results) => {
      const rejected = results.filter((result) => result.status === 'rejected');
      failures.push(...rejected.map(({ reason }) => reason));
    },
  );
  // After a failed write, the other workers may wait for a line that somebody has yet to type.
  await Promise.race([workers, stopped.promise]);
  clearProgress();
  if (failures.length > 0) {
    const [reason] = failures;
    const cause = reason instanceof UnknownOutcome ? reason.cause : reason;
    throw new CommandError(`${explain(cause, options)} ${state(unknown)}`);
  }
}

/** Repeats a call for as long as DynamoDB throttles it, up to half a minute. */
export async function whileThrottled<T>(call: () => Promise<T>): Promise<T> {
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
