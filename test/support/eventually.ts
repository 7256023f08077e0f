import { setTimeout } from 'node:timers/promises';

interface Patience {
  /** More than half a minute is for whole programs, which a busy machine runs slowly. */
  seconds?: number;
  /** Returns what there was instead, such as the output so far. */
  instead?: () => string;
}

/**
 * Returns what a promise resolves to, or the first true value of a function, which is called again
 * and again. Throws if it does not come in time, and says what did not.
 */
export async function eventually<T>(
  what: string,
  source: PromiseLike<T> | (() => T),
  { seconds = 30, instead = () => '' }: Patience = {},
): Promise<Awaited<T>> {
  const done = new AbortController();
  const { signal } = done;
  const isLate = setTimeout(1000 * seconds, true, { signal }).catch(() => false);
  async function poll(look: () => T): Promise<Awaited<T>> {
    for (;;) {
      const value = await look();
      if (value || signal.aborted) {
        return value;
      }
      await setTimeout(5);
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
  const error = new Error(`Within ${seconds} s there was not: ${what}\n${instead()}`.trim());
  // The report shows the line that waits, and not this one.
  Error.captureStackTrace(error, eventually);
  throw error;
}
