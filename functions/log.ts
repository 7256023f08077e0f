import type { LogCode } from './shared/log-codes.ts';

export type LogFields = Record<string, string | number | undefined>;

/**
 * Writes one log line. Lambda wraps it in JSON, so that a metric filter finds the code at
 * `$.message.code`. Fields never contain secrets or the content of a plant.
 */
export const logInfo = (code: LogCode, fields: LogFields): void =>
  console.info({ code, ...fields });

export const logError = (code: LogCode, fields: LogFields, error: unknown): void =>
  console.error({ code, ...fields, cause: describeCause(error, []) });

/** Describes an error with its causes. `effects` are the errors that it caused. */
function describeCause(error: unknown, effects: Error[]): unknown {
  if (!(error instanceof Error)) {
    return typeof error === 'object' && error !== null ? { ...error } : String(error);
  }
  if (effects.includes(error)) {
    return `the ${error.name} above`;
  }
  const known = error as Error & Record<string, unknown>;
  const { name, message, stack, code, $metadata, cause, readError } = known;
  const path = [...effects, error];
  return {
    name,
    message,
    stack,
    code,
    // The message does not name the limit. The SDK's classes spell this member differently.
    throttlingReasons: known.throttlingReasons ?? known.ThrottlingReasons,
    $metadata,
    cause: cause && describeCause(cause, path),
    // Of an unknown outcome.
    readError: readError && describeCause(readError, path),
  };
}
