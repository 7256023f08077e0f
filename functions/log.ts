import type { LogCode } from './shared/log-codes.ts';

export type LogFields = Record<string, string | number | undefined>;

/**
 * Writes one log line. Lambda wraps it in JSON, so that a metric filter finds the code at
 * `$.message.code`. A field never holds a secret or the content of a plant.
 */
export const logInfo = (code: LogCode, fields: LogFields): void =>
  console.info({ code, ...fields });

/** Writes one log line about a failure, with everything that is known of its cause. */
export const logError = (code: LogCode, fields: LogFields, error: unknown): void =>
  console.error({ code, ...fields, cause: describe(error) });

const methods = ['debug', 'dir', 'error', 'info', 'log', 'trace', 'warn'] as const;

/**
 * Mutes the console during warm-up, because no request has come yet and metric filters would count
 * its lines. A failure is only logged, because the function works without warm-up too. The log line
 * then has the errors that were muted.
 */
export async function quietly(work: () => Promise<unknown>): Promise<void> {
  const loud = { ...console };
  const errors: unknown[] = [];
  for (const method of methods) {
    console[method] = () => {};
  }
  console.error = (...line) => errors.push(...line);
  const failure = await work().then(
    () => undefined,
    (error) => ({ code: 'PRIMING_FAILED' satisfies LogCode, cause: describe(error), errors }),
  );
  for (const method of methods) {
    console[method] = loud[method];
  }
  if (failure) {
    console.error(failure);
  }
}

function describe(error: unknown): unknown {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { name, message, stack, code, $metadata, cause, throttlingReasons, ThrottlingReasons } =
    error as Error & Record<string, unknown>;
  return {
    name,
    message,
    stack,
    code,
    // The message does not name the limit. The SDK's classes spell this member differently.
    throttlingReasons: throttlingReasons ?? ThrottlingReasons,
    $metadata,
    cause: cause && describe(cause),
  };
}
