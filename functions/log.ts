import type { LogCode } from './shared/log-codes.ts';

type Fields = Record<string, string | number | undefined>;

let isQuiet = false;

/**
 * Writes one log line. Lambda wraps it in JSON, so that a metric filter finds the code at
 * `$.message.code`. A field never holds a secret or the content of a plant.
 */
export const logInfo = (code: LogCode, fields: Fields) => {
  if (!isQuiet) console.info({ code, ...fields });
};

/** Writes one log line about a failure, with everything that is known of its cause. */
export const logError = (code: LogCode, fields: Fields, error: unknown) =>
  console.error({ code: isQuiet ? 'PRIMING_FAILED' : code, ...fields, cause: describe(error) });

/**
 * Mutes info lines during warm-up, because metric filters would count them. An error is only
 * logged, because the function works without warm-up too.
 */
export async function quietly(work: () => Promise<unknown>): Promise<void> {
  isQuiet = true;
  try {
    await work();
  } catch (error) {
    logError('PRIMING_FAILED', {}, error);
  } finally {
    isQuiet = false;
  }
}

function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, code, $metadata, cause } = error as Error & Record<string, unknown>;
  return { name, message, stack, code, $metadata, cause: cause && describe(cause) };
}
