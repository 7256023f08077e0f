import { type InputError, Problem } from '../../functions/http/problem.ts';
import { commonHeaders, requestIdHeader, tokenEndHeader } from '../../functions/shared/headers.ts';
import {
  type ProblemCode,
  problemMediaType,
  problems,
  problemTitle,
} from '../../functions/shared/problems.ts';

export type Json = Record<string, unknown>;

export const componentReference = (kind: string, name: string): Json => ({
  $ref: `#/components/${kind}/${name}`,
});
const textSchema = (description: string): Json => ({ type: 'string', description });

export const problemSchema = {
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri', description: 'Identifies the problem.' },
    title: textSchema('The type in words.'),
    status: { type: 'integer', description: 'The status of the response.' },
    detail: textSchema('An explanation for people.'),
    instance: textSchema('The request id, as in X-Request-Id.'),
    errors: {
      type: 'array',
      minItems: 1,
      items: componentReference('schemas', 'InputError'),
      description: 'All errors found in the request, if they are known.',
    },
  },
  required: ['type', 'title', 'status', 'detail', 'instance'],
};

export const inputErrorSchema = {
  type: 'object',
  description: 'An error in the request. It has one of pointer, parameter and header.',
  properties: {
    pointer: textSchema('The place in the body, as a JSON pointer (RFC 6901).'),
    parameter: textSchema('The name of a parameter in the path or the query.'),
    header: textSchema('The name of a header.'),
    detail: textSchema('An explanation of the error.'),
  },
  required: ['detail'],
};

const requestId = 'JKJaXmPLvHcESHA=';
const constant = (value: string): Json => ({ schema: { type: 'string', const: value } });
export const headers: Record<string, Json> = {
  [requestIdHeader]: {
    required: true,
    description: 'Identifies the request in the logs. It does not prove who sent it.',
    schema: { type: 'string', minLength: 1 },
    example: requestId,
  },
  ...Object.fromEntries(
    Object.entries(commonHeaders()).map(([name, value]) => [
      name,
      { required: true, ...constant(value) },
    ]),
  ),
};
export const tokenEnd: Json = {
  description: 'The end of the access token, if it has one. It may be a minute old.',
  schema: { type: 'string', format: 'date-time' },
  example: '2027-02-26T14:00:00Z',
};
const everyResponse = Object.fromEntries(
  Object.keys(headers).map((name) => [name, componentReference('headers', name)]),
);
/** The headers of every response of a function. */
export const ofFunctions = {
  ...everyResponse,
  [tokenEndHeader]: componentReference('headers', tokenEndHeader),
};

const exampleErrors: Partial<Record<ProblemCode, InputError[]>> = {
  'unsupported-media-type': [{ header: 'Content-Type', detail: 'must be application/json' }],
};

/** The problems that no function returns, only API Gateway itself. */
const ofGateway: ProblemCode[] = [
  'unauthorized',
  'insufficient-scope',
  'request-blocked',
  'too-many-requests',
];

// Each operation has its own errors in an invalid request. Unknown paths are no operation.
const notShared: ProblemCode[] = ['invalid-request', 'no-such-operation'];

/** The problems that operations share, by the name of their response. A status has one response. */
const problemsByResponse = Object.groupBy(
  (Object.keys(problems) as ProblemCode[]).filter((code) => !notShared.includes(code)),
  (code) => `Error${problems[code].status}`,
);

function errorResponse(codes: ProblemCode[], errors = exampleErrors): Json {
  const own = codes.flatMap((code) => Object.entries(problems[code].headers ?? {}));
  // Of several problems, each has headers of its own.
  const required = codes.length === 1;
  const examples = codes.map((code) => {
    const value = new Problem(code, errors[code]).toJson(requestId);
    return [code, { value }];
  });
  return {
    description: codes.map((code) => problemTitle(code)).join(', or '),
    headers: {
      ...(codes.every((code) => ofGateway.includes(code)) ? everyResponse : ofFunctions),
      ...Object.fromEntries(own.map(([name, value]) => [name, { required, ...constant(value) }])),
    },
    content: {
      [problemMediaType]: {
        // Client generators make one type of one schema. The examples tell the problems apart.
        schema: componentReference('schemas', 'Problem'),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

export const errorResponses: Json = Object.fromEntries(
  Object.entries(problemsByResponse).map(([name, codes = []]) => [name, errorResponse(codes)]),
);

/**
 * Returns the responses of an operation: its successes, its error statuses, a 400 with example
 * errors, and the errors of every operation.
 */
export function responses(
  successes: Record<number, Json>,
  errorStatuses: number[],
  exampleInputErrors: InputError[],
): Json {
  const shared = [401, 403, 429, 500, 503, ...errorStatuses];
  return {
    ...successes,
    400: errorResponse(['invalid-request'], { 'invalid-request': exampleInputErrors }),
    ...Object.fromEntries(
      shared.map((status) => [status, componentReference('responses', `Error${status}`)]),
    ),
  };
}
