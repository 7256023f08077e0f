/**
 * Does the work for each item, several at a time. Takes no further item once the signal has aborted
 * or a call has failed, waits for the calls in progress, and then rejects with the first failure.
 */
export async function inParallel<T>(
  items: AsyncGenerator<T>,
  work: (item: T) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let failed = false;
  const worker = async () => {
    while (!failed && !signal.aborted) {
      const { done, value } = await items.next();
      if (done) return;
      await work(value);
    }
  };
  const workers = Array.from({ length: concurrency }, () =>
    worker().catch((error) => {
      failed = true;
      throw error;
    }),
  );
  const results = await Promise.allSettled(workers);
  await items.return(undefined);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** Enough to hide the latency of AWS, and few enough for a table without earlier traffic. */
const concurrency = 32;
