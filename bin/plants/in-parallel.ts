/** Enough to hide the latency of AWS, and few enough for a table without earlier traffic. */
const concurrency = 32;

/**
 * Does the work for each item, several at a time. Takes no further item once the signal has aborted
 * or a call has failed, waits for the calls in progress, and then rejects with the first failure.
 */
export async function inParallel<T>(
  items: AsyncGenerator<T>,
  work: (item: T) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const worker = async () => {
    // Leaving the loop, also by an error, ends the generator for all workers.
    for await (const item of items) {
      if (signal.aborted) return;
      await work(item);
    }
  };
  const results = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
