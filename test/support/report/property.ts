import { test } from '@jest/globals';
import fc from 'fast-check';
import { commandOfTest, report, share } from './report.ts';
import type { Topic } from './row.ts';

/** How often a property is tried: by `npm test`, which has only the fuzzing, and as a whole. */
export interface Counts {
  short?: number;
  whole: number;
}

export const countOf = ({ short = 1, whole }: Counts): number =>
  share > 0 ? Math.ceil(whole * share) : short;

const [seed, path] = process.env.REPLAY?.split('/') ?? [];

/** A property that is tried with random cases. */
export interface Property<T> {
  /** What is tried, in words that no other property has. */
  name: string;
  topic: Topic;
  /** What the row says if no case fails. */
  outcome: string;
  counts: Counts;
  /** How many of the counted cases one value of `cases` has. */
  batch?: number;
  /** Whether calls meet each other, differently each time, so that smaller cases tell nothing. */
  isConcurrent?: true;
  cases: fc.Arbitrary<T>;
  holds: (one: T) => Promise<void>;
}

/**
 * Declares the test that tries a property and reports a row. It fails with the smallest
 * counterexample that it finds, and with the variable that replays it.
 */
export function testProperty<T>(property: Property<T>): void {
  const { name, topic, outcome, counts, batch = 1, isConcurrent = false, cases, holds } = property;
  test(name, async () => {
    const startedAt = performance.now();
    const result = await fc.check(fc.asyncProperty(cases, holds), {
      numRuns: Math.ceil(countOf(counts) / batch),
      endOnFailure: isConcurrent,
      ...(seed !== undefined && path !== undefined && { seed: Number(seed), path }),
    });
    if (result.failed) {
      const { errorInstance, seed: failed, counterexamplePath, counterexample } = result;
      const smallest = fc.stringify(counterexample?.[0]);
      const replay = `REPLAY=${failed}/${counterexamplePath} ${commandOfTest()}`;
      const message = `${name} failed for ${smallest}\nReplay: ${replay}\n${errorInstance}`;
      throw new Error(message, { cause: errorInstance });
    }
    const count = result.numRuns * batch;
    report({ topic, tried: name, count, unit: 'cases', outcome }, startedAt);
  });
}
