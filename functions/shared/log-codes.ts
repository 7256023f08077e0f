import { type Operation, operations } from './operations.ts';

/**
 * Every code of a log line but those of successes, with its meaning. A code never changes, because
 * metric filters and alarms depend on it.
 */
export const logCodes = {
  REQUEST_REFUSED: 'A request was answered with a problem that the caller can fix (4xx).',
  DATABASE_UNAVAILABLE: 'DynamoDB throttled, was slow or was unreachable. The answer was 503.',
  REQUEST_FAILED: 'An unexpected error occurred. The answer was 500.',
  TOKEN_ACCEPTED: 'An access token was accepted.',
  TOKEN_REFUSED: 'An access token was refused. `reason` says why.',
  AUTHORIZER_FAILED: 'The authorizer could not check an access token. The gateway answers 503.',
  PRIMING_FAILED: 'A function could not be prepared, so that its first request is slower.',
} as const;

type Values<T> = T extends unknown ? T[keyof T] : never;
export type SuccessCode = Values<(typeof operations)[Operation]['successes']>;
export type LogCode = keyof typeof logCodes | SuccessCode;

const successes = Object.values(operations).flatMap((row) => Object.values<string>(row.successes));

/** Tells whether a text is the code of a log line. */
export const isLogCode = (text: string): boolean =>
  Object.hasOwn(logCodes, text) || successes.includes(text);
