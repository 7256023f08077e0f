import { setTimeout } from 'node:timers/promises';
import { isUnavailable } from '../../functions/dynamodb/client.ts';

/**
 * Repeats a call to the store for as long as the database is throttling, slow or unreachable, as a
 * client does that is answered 503. Rejects with the last error after half a minute of that.
 */
export async function untilAvailable<T>(call: () => Promise<T>): Promise<T> {
  for (let pause = 500; ; pause *= 2) {
    try {
      return await call();
    } catch (error) {
      if (!isUnavailable(error) || pause > 16_000) throw error;
      await setTimeout(pause * (0.5 + Math.random() / 2));
    }
  }
}
