import { type Operation, operations } from './operations.ts';

/**
 * Log codes and their meaning, except the codes of successes. A code never changes, because metric
 * filters, alarms and saved queries depend on it.
 */
export const logCodes = {
  REQUEST_REFUSED: 'A request was rejected with a problem that the caller can fix (4xx).',
  DATABASE_UNAVAILABLE:
    'DynamoDB throttled, was slow or was unreachable. The operation returned 503.',
  REQUEST_FAILED: 'An unexpected error occurred. The operation returned 500.',
  TOKEN_ACCEPTED: 'An access token was accepted.',
  TOKEN_REFUSED: 'An access token was rejected. `reason` says why.',
  AUTHORIZER_FAILED: 'The authorizer could not check an access token. The gateway returned 503.',
  WARM_UP_FAILED: 'The warm-up of a function failed. Its first request is slower.',
} as const;

type Values<T> = T extends unknown ? T[keyof T] : never;
export type SuccessCode = Values<(typeof operations)[Operation]['successes']>;
export type LogCode = keyof typeof logCodes | SuccessCode;

const successes = Object.values(operations).flatMap((row) => Object.values<string>(row.successes));

export const isLogCode = (text: string): boolean =>
  Object.hasOwn(logCodes, text) || successes.includes(text);
