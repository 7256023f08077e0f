/**
 * Every error that the API can answer with (RFC 9457), whether a function or the gateway says it.
 * `detail` is what is said where nothing more exact is known; `headers` go with the status.
 */
export const problems = {
  'invalid-request': {
    status: 400,
    title: 'Invalid request',
    detail:
      'The request is not one that the API understands. Where its faults are known, errors names each.',
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
  'plant-not-found': {
    status: 404,
    title: 'Plant not found',
    detail: 'There is no plant with this id.',
    headers: {},
  },
  'no-such-operation': {
    status: 404,
    title: 'No such operation',
    detail: 'The API has no such method on this path.',
    headers: {},
  },
  'plant-exists': {
    status: 409,
    title: 'Plant exists',
    detail: 'There is a plant with this id and another name or tag. It was left as it is.',
    headers: {},
  },
  'content-too-large': {
    status: 413,
    title: 'Content too large',
    detail: 'The body is larger than 16 KiB.',
    headers: {},
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    detail:
      'The body must be sent as Content-Type: application/json, in UTF-8 and without Content-Encoding.',
    headers: {},
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many requests',
    detail: 'More requests arrived than the API admits. Try again later.',
    headers: { 'Retry-After': '1' },
  },
  'internal-error': {
    status: 500,
    title: 'Internal error',
    detail: 'The API failed. The fault is ours.',
    headers: {},
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    detail: 'The API cannot answer right now. Try again later.',
    headers: { 'Retry-After': '1' },
  },
} as const satisfies Record<
  string,
  { status: number; title: string; detail: string; headers: Record<string, string> }
>;

export type ProblemCode = keyof typeof problems;

export const problemMediaType = 'application/problem+json';

/** The members of a problem that its code alone decides. */
export const problemMembers = (code: ProblemCode) => ({
  type: `urn:problem-type:plant-store:${code}`,
  title: problems[code].title,
  status: problems[code].status,
});
