import { test } from '@jest/globals';
import fc from 'fast-check';

/** Whether CI runs the suites at full length. */
export const isThorough = process.env.THOROUGH === '1';

const [seed, path] = process.env.REPLAY?.split('/') ?? [];

/** A property that holds for all cases. */
interface Property<T> {
  cases: fc.Arbitrary<T>;
  holds: (one: T) => Promise<void>;
  /** The numbers of cases in `npm test`, which always tries the same ones, and in CI. */
  counts: { short: number; full: number };
}

/**
 * Declares the test of a property. A failure names the smallest counterexample with its seed and
 * path. To repeat it, run `REPLAY=SEED/PATH npm test -- FOLDER -t NAME`.
 */
export function testProperty<T>(name: string, property: Property<T>): void {
  const { cases, holds, counts } = property;
  const full = { numRuns: counts.full };
  const short = { numRuns: counts.short, seed: 7 };
  const replay = { seed: Number(seed), ...(path && { path }) };
  const parameters = { ...(isThorough ? full : short), ...(seed !== undefined && replay) };
  test(
    name,
    () => fc.assert(fc.asyncProperty(cases, holds), parameters),
    isThorough ? 30 * 60_000 : undefined,
  );
}
