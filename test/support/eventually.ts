import { waitInRealTime } from './clock/stopped-clock.ts';

/** Jest's limit for a test, in milliseconds. Our test environment sets it. */
declare const testTimeout: number;

interface Options {
  /** By default less than Jest's limit for a test. */
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
  { seconds = (0.9 * testTimeout) / 1000, instead = () => '' }: Options = {},
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
