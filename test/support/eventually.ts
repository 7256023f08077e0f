import { expect } from '@jest/globals';
import { waitInRealTime } from './clock/stopped-clock.ts';

interface Options {
  /** By default less than Jest's limit for a test, which is 30 s, or 900 s in slow suites. */
  seconds?: number | undefined;
  /** Returns the state so far, such as output, for the error message. */
  instead?: () => string;
}

/**
 * Returns the value of a promise, or the first true value of a function, which is polled. Throws
 * after a time limit; the error names `what` did not come.
 */
export async function eventually<T>(
  what: string,
  source: PromiseLike<T> | (() => T),
  { seconds = defaultSeconds(), instead = () => '' }: Options = {},
): Promise<Awaited<T>> {
  const done = new AbortController();
  const { signal } = done;
  const isLate = waitInRealTime(1000 * seconds, true, { signal }).catch(() => false);
  async function poll(look: () => T): Promise<Awaited<T>> {
    for (;;) {
      const value = await look();
      if (value || signal.aborted) {
        return value;
      }
      await waitInRealTime(5);
    }
  }
  try {
    const comes = typeof source === 'function' ? poll(source) : source;
    const first = await Promise.race([comes.then((value) => ({ value })), isLate]);
    if (typeof first === 'object') {
      return first.value as Awaited<T>;
    }
  } finally {
    done.abort();
  }
  const error = new Error(`Timed out after ${seconds} s waiting for ${what}.\n${instead()}`.trim());
  // The report shows the line that waits, not this one.
  Error.captureStackTrace(error, eventually);
  throw error;
}

const defaultSeconds = () => (expect.getState().testPath?.endsWith('.slow.ts') ? 840 : 50);
