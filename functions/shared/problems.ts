import { maxBodyBytes } from './operations.ts';

interface ProblemRow {
  status: number;
  detail: string;
  /** Those that the status asks for. */
  headers?: Record<string, string>;
}

const later = { 'Retry-After': '1' };

const rows = {
  'invalid-request': {
    status: 400,
    detail: 'The request is invalid. If its faults are known, `errors` names each of them.',
  },
  unauthorized: {
    status: 401,
    detail: 'A valid access token is required: Authorization: Bearer <ACCESS_TOKEN>.',
    headers: { 'WWW-Authenticate': 'Bearer realm="plant-store"' },
  },
  'insufficient-scope': {
    status: 403,
    detail: 'The access token does not have the scope that this operation needs.',
    headers: { 'WWW-Authenticate': 'Bearer realm="plant-store", error="insufficient_scope"' },
  },
  'request-blocked': { status: 403, detail: 'A web application firewall turned the request away.' },
  'plant-not-found': { status: 404, detail: 'There is no plant with this id.' },
  'no-such-operation': {
    status: 404,
    detail: 'The API does not have this path, or not with this method.',
  },
  'plant-exists': {
    status: 409,
    detail: 'A plant with this id and other content exists. It was not changed.',
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
    headers: later,
  },
  'internal-error': { status: 500, detail: 'The API failed because of a fault of its own.' },
  unavailable: {
    status: 503,
    detail: 'The API cannot answer right now. A write may have taken effect all the same.',
    headers: later,
  },
} satisfies Record<string, ProblemRow>;

export type ProblemCode = keyof typeof rows;

/**
 * Every error that the API answers with (RFC 9457), whether a function or the gateway sends it. Its
 * title is its code in words.
 */
export const problems: Record<ProblemCode, ProblemRow> = rows;

export const problemMediaType = 'application/problem+json';

export interface ProblemMembers {
  type: string;
  title: string;
  status: number;
}

/** Returns the members that all problems of a code have in common, except its detail. */
export const problemMembers = (code: ProblemCode): ProblemMembers => ({
  type: `urn:problem-type:plant-store:${code}`,
  title: code.charAt(0).toUpperCase() + code.slice(1).replaceAll('-', ' '),
  status: problems[code].status,
});
