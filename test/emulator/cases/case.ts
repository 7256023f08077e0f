import { expect } from '@jest/globals';
import type { Request } from '../../support/http/http-client.ts';

/** A request to the fixture stack, what it should lead to, and the source for that. */
export interface Case {
  it: string;
  from: string;
  request: Request;
  /** Members of the function's event. Null means that the member is missing. */
  event?: Record<string, unknown>;
  /** Parts of the answer. Null means that the header is missing. */
  answer?: { status?: number; headers?: Record<string, unknown>; body?: unknown };
}

export type Members = Record<string, unknown>;
export const to = (target: string, ...headers: string[]): Request => {
  const [method = '', path = ''] = target.split(' ');
  return { method, path, headers };
};
export const post = (path: string, body: string | Buffer, ...headers: string[]): Request => ({
  ...to(`POST ${path}`, ...headers),
  body,
});
const requestOf = (given: string | Request) => (typeof given === 'string' ? to(given) : given);
export const event = (
  it: string,
  from: string,
  given: string | Request,
  expected: Members,
): Case => ({
  it,
  from,
  request: requestOf(given),
  event: expected,
});
export const answer = (
  it: string,
  from: string,
  given: string | Request,
  status: number,
  headers: Members = {},
  body?: unknown,
): Case => ({
  it,
  from,
  request: requestOf(given),
  answer: { status, headers, ...(body !== undefined && { body }) },
});
export const errorType = (type: string) => ({ 'x-amzn-errortype': `${type}Exception` });
export const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
