import { type Operation, operations } from './operations.ts';

/**
 * Log codes, except those of successes. A code never changes, because metric filters, alarms and
 * saved queries depend on it.
 */
export const logCodes = [
  // A problem that the caller can fix (4xx).
  'REQUEST_REFUSED',
  // DynamoDB throttled, was slow or was unreachable (503).
  'DATABASE_UNAVAILABLE',
  // A bug (500).
  'REQUEST_FAILED',
  'TOKEN_ACCEPTED',
  // `reason` says why.
  'TOKEN_REFUSED',
  // The authorizer could not check an access token (503).
  'AUTHORIZER_FAILED',
  // The first request of a function is slower.
  'WARM_UP_FAILED',
] as const;

type Values<T> = T extends unknown ? T[keyof T] : never;
export type SuccessCode = Values<(typeof operations)[Operation]['successes']>;
export type LogCode = (typeof logCodes)[number] | SuccessCode;

const successes = Object.values(operations).flatMap((row) => Object.values<string>(row.successes));
const all: readonly string[] = [...logCodes, ...successes];

export const isLogCode = (text: string): boolean => all.includes(text);
