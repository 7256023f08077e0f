import { maxBodyBytes } from './operations.ts';

interface ProblemRow {
  status: number;
  detail: string;
  /** Headers that this status requires. */
  headers?: Record<string, string>;
}

const rows = {
  'invalid-request': {
    status: 400,
    detail: 'The request is invalid. Fix everything that `errors` lists.',
  },
  unauthorized: {
    status: 401,
    detail: 'A valid access token is required: Authorization: Bearer <ACCESS_TOKEN>.',
    headers: { 'WWW-Authenticate': 'Bearer realm="plant-store"' },
  },
  'insufficient-scope': {
    status: 403,
    detail: 'The access token lacks the scope that this operation requires.',
    headers: { 'WWW-Authenticate': 'Bearer realm="plant-store", error="insufficient_scope"' },
  },
  'request-blocked': { status: 403, detail: 'A web application firewall blocked the request.' },
  'plant-not-found': { status: 404, detail: 'There is no plant with this id.' },
  'no-such-operation': {
    status: 404,
    detail: 'The API has no such path, or no such method on this path.',
  },
  'plant-exists': {
    status: 409,
    detail: 'A plant with this id but other content exists. It was not changed.',
  },
  'content-too-large': {
    status: 413,
    detail: `The body is larger than ${maxBodyBytes / 1024} KiB.`,
  },
  'unsupported-media-type': {
    status: 415,
    detail: 'The body must be application/json in UTF-8, without Content-Encoding.',
  },
  'too-many-requests': {
    status: 429,
    detail: 'The API received too many requests. Try again later.',
    headers: { 'Retry-After': '1' },
  },
  'internal-error': { status: 500, detail: 'The request failed because of a bug in the API.' },
  // Without Retry-After, because clients that obey it repeat a DELETE by themselves.
  unavailable: {
    status: 503,
    detail: 'The API is temporarily unavailable. A write may have happened, or may still happen.',
  },
} satisfies Record<string, ProblemRow>;

export type ProblemCode = keyof typeof rows;

/** All errors of the API (RFC 9457), returned by a function or by the gateway. */
export const problems: Record<ProblemCode, ProblemRow> = rows;

export const problemMediaType = 'application/problem+json';

export interface ProblemDetails {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
}

/** Returns the details of a problem (RFC 9457). `instance` is the request id. */
export function problemDetails(code: ProblemCode, instance: string): ProblemDetails {
  const { status, detail } = problems[code];
  return {
    type: `urn:problem-type:plant-store:${code}`,
    title: problemTitle(code),
    status,
    detail,
    instance,
  };
}

/** Returns the code in words. */
export const problemTitle = (code: ProblemCode): string =>
  code.charAt(0).toUpperCase() + code.slice(1).replaceAll('-', ' ');
