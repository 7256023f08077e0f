import { test } from '@jest/globals';
import fc from 'fast-check';

/** Whether CI runs the suites at full length. */
export const isThorough = process.env.THOROUGH === '1';

const [seed, path] = process.env.REPLAY?.split('/') ?? [];

/** A property that is tried with random cases. */
interface Property<T> {
  cases: fc.Arbitrary<T>;
  holds: (one: T) => Promise<void>;
  /** How many cases `npm test` tries, which are the same each time, and how many CI tries. */
  counts: { short: number; full: number };
  /** Whether calls meet each other, differently each time, so that smaller cases tell nothing. */
  isConcurrent?: true;
}

/**
 * Declares the test that tries a property. A failure names the smallest counterexample with its
 * seed and path: `REPLAY=SEED/PATH npm test -- FILE -t NAME` tries it again.
 */
export function testProperty<T>(name: string, property: Property<T>): void {
  const { cases, holds, counts, isConcurrent = false } = property;
  const full = { numRuns: counts.full };
  const short = { numRuns: counts.short, seed: 7 };
  const replay = { seed: Number(seed), ...(path && { path }) };
  const parameters = { ...(isThorough ? full : short), ...(seed !== undefined && replay) };
  test(
    name,
    () => fc.assert(fc.asyncProperty(cases, holds), { ...parameters, endOnFailure: isConcurrent }),
    isThorough ? 30 * 60_000 : undefined,
  );
}
