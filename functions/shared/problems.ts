import { maxBodyBytes } from './operations.ts';

/**
 * Every error that the API answers with (RFC 9457), whether a function or the gateway sends it.
 * `headers` are those that the status asks for.
 */
export const problems = {
  'invalid-request': {
    status: 400,
    title: 'Invalid request',
    detail: 'The request is invalid. If its faults are known, `errors` names each of them.',
    headers: {},
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    detail: 'A valid access token is required: Authorization: Bearer <ACCESS_TOKEN>.',
    headers: { 'WWW-Authenticate': 'Bearer realm="plant-store"' },
  },
  'insufficient-scope': {
    status: 403,
    title: 'Insufficient scope',
    detail: 'The access token does not have the scope that this operation needs.',
    headers: { 'WWW-Authenticate': 'Bearer realm="plant-store", error="insufficient_scope"' },
  },
  'request-blocked': {
    status: 403,
    title: 'Request blocked',
    detail: 'A web application firewall turned the request away.',
    headers: {},
  },
  'plant-not-found': {
    status: 404,
    title: 'Plant not found',
    detail: 'There is no plant with this id.',
    headers: {},
  },
  'no-such-operation': {
    status: 404,
    title: 'No such operation',
    detail: 'The API does not have this path, or not with this method.',
    headers: {},
  },
  'plant-exists': {
    status: 409,
    title: 'Plant exists',
    detail: 'A plant with this id and other content exists. It was not changed.',
    headers: {},
  },
  'content-too-large': {
    status: 413,
    title: 'Content too large',
    detail: `The body is larger than ${maxBodyBytes / 1024} KiB.`,
    headers: {},
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    detail: 'The body must be application/json in UTF-8, without Content-Encoding.',
    headers: {},
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many requests',
    detail: 'The API received too many requests. Try again later.',
    headers: { 'Retry-After': '1' },
  },
  'internal-error': {
    status: 500,
    title: 'Internal error',
    detail: 'The API failed because of a fault of its own.',
    headers: {},
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    detail:
      'The API cannot answer right now. A create or delete may have taken effect all the same.',
    headers: { 'Retry-After': '1' },
  },
} as const satisfies Record<
  string,
  { status: number; title: string; detail: string; headers: Record<string, string> }
>;

export type ProblemCode = keyof typeof problems;

export const problemMediaType = 'application/problem+json';

/** Returns the members that all problems of a code have in common, except its detail. */
export const problemMembers = (code: ProblemCode) => ({
  type: `urn:problem-type:plant-store:${code}`,
  title: problems[code].title,
  status: problems[code].status,
});
