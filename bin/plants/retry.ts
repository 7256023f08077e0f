import { setTimeout } from 'node:timers/promises';
import { isUnavailable } from '../../functions/dynamodb/client.ts';
import { UnknownOutcome } from '../../functions/dynamodb/writes.ts';

/**
 * Repeats a call to the store for as long as the database is throttling, slow or unreachable.
 * Rejects with the last error after half a minute of that. A write that may have taken effect is
 * repeated only for the one writer, because it could undo what another caller did meanwhile.
 */
export async function untilAvailable<T>(call: () => Promise<T>, onlyWriter = false): Promise<T> {
  for (let pause = 500; ; pause *= 2) {
    try {
      return await call();
    } catch (error) {
      const isUnknown = error instanceof UnknownOutcome && !onlyWriter;
      if (isUnknown || !isUnavailable(error) || pause > 16_000) throw error;
      await setTimeout(pause * (0.5 + Math.random() / 2));
    }
  }
}
