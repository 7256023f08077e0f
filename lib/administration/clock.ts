import type { HttpResponse, MiddlewareStack } from '@smithy/types';
import { CommandError } from '../command-line/command-error.ts';
import { formatCount } from '../command-line/format-count.ts';

// Records of access tokens have the times of this computer's clock. The SDK corrects a wrong clock
// in its signatures, so AWS never complains.

/** Compares this computer's clock with the last response. */
export interface Clock {
  aheadMs?: number;
}

/** A difference that the precision of `Date` and a slow network do not explain. */
const toleranceMs = 60_000;

/** Compares the clock with the `Date` of each response that a client receives. */
export function watchClock<I extends object, O extends object>(
  client: { middlewareStack: MiddlewareStack<I, O> },
  clock: Clock,
): void {
  client.middlewareStack.add((next) => async (args) => {
    const result = await next(args);
    const { headers } = result.response as HttpResponse;
    const aheadMs = Date.now() - Date.parse(`${headers.date}`);
    if (!Number.isNaN(aheadMs)) {
      clock.aheadMs = aheadMs;
    }
    return result;
  });
}

/** Throws a CommandError if the clock is more than a minute off. */
export function requireClock(clock: Clock): void {
  const error = describeClockError(clock);
  if (error !== undefined) {
    throw new CommandError(
      `Nothing was written, because this computer's clock is ${error}. Set it, then repeat the ` +
        'command.',
    );
  }
}

/**
 * Returns by how much a clock is wrong, like `2 minutes slow`. Returns undefined below a minute.
 */
export function describeClockError({ aheadMs = 0 }: Clock): string | undefined {
  if (Math.abs(aheadMs) <= toleranceMs) {
    return undefined;
  }
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  return `${formatCount(minutes, 'minute')} ${aheadMs < 0 ? 'slow' : 'fast'}`;
}
