import fc from 'fast-check';

/** The share of the whole proof to run: 1 in `npm run proof`, and nothing in `npm test`. */
const share = Number(process.env.PROOF ?? 0);

/** How often a property is tried: by `npm test`, which has only the fuzzing, and as a whole. */
export interface Counts {
  short?: number;
  whole: number;
}

export const countOf = ({ short = 1, whole }: Counts): number =>
  share > 0 ? Math.ceil(whole * share) : short;

/** `npm run proof` takes as long as it needs. */
export const timeout = 60 * 60_000;

const [seed, path] = process.env.REPLAY?.split('/') ?? [];

/**
 * Tries a property with random cases. Throws the smallest counterexample that it finds, with the
 * variable that replays it.
 */
export async function check<T>(
  name: string,
  counts: Counts,
  cases: fc.Arbitrary<T>,
  holds: (one: T) => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  const result = await fc.check(fc.asyncProperty(cases, holds), {
    numRuns: countOf(counts),
    ...(seed !== undefined && path !== undefined && { seed: Number(seed), path }),
  });
  if (result.failed) {
    const { errorInstance, seed: failed, counterexamplePath, counterexample } = result;
    const smallest = fc.stringify(counterexample?.[0]);
    const replay = `REPLAY=${failed}/${counterexamplePath} npm run proof -- -t '${name}'`;
    const message = `${name} failed for ${smallest}\nReplay: ${replay}\n${errorInstance}`;
    throw new Error(message, { cause: errorInstance });
  }
  report(`${name}: ${result.numRuns} cases`, startedAt);
}

/** Prints a figure of `npm run proof`. */
export function report(figure: string, startedAt: number): void {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  if (share > 0) process.stdout.write(`${figure}, ${seconds} s\n`);
}
