import { UnknownOutcome } from '../../functions/dynamodb/writes.ts';
import { AdministrationError } from '../administration/administration-error.ts';
import { explain } from '../administration/explain.ts';
import type { TargetOptions } from '../administration/target-options.ts';

export interface WriteOptions extends TargetOptions {
  owner: string;
  onlyWriter: boolean;
}

/** Returns a signal that Ctrl-C aborts, so that a command finishes what is in progress. */
export function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => controller.abort());
  return controller.signal;
}

/**
 * Does work that ends early, without an error, once its signal has aborted. If it did or failed,
 * rejects with how far it came.
 */
export async function interruptible(
  options: WriteOptions,
  summary: () => string,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const signal = onInterrupt();
  const again = 'Repeat the command to continue.';
  try {
    await work(signal);
  } catch (error) {
    const isUnknown = error instanceof UnknownOutcome;
    const hint = isUnknown
      ? ` If no other caller writes plants of ${options.owner}, add --only-writer: the command ` +
        'then repeats such a write by itself.'
      : '';
    const what = isUnknown ? error.message : explain(error, options);
    throw new AdministrationError(`${what} So far: ${summary()}. ${again}${hint}`);
  }
  if (signal.aborted) throw new AdministrationError(`interrupted: ${summary()}. ${again}`);
}

export const counted = (count: number, many = 'plants', one = 'plant'): string =>
  `${count} ${count === 1 ? one : many}`;
