import type { InputSchema } from '../../functions/http/input.ts';
import { type Fault, Problem } from '../../functions/http/problem.ts';
import type { Fields } from '../../functions/items/fields.ts';
import { authorizationPattern } from '../../functions/shared/access-token.ts';
import { commonHeaders, requestIdHeader } from '../../functions/shared/headers.ts';
import { type Operation, operations } from '../../functions/shared/operations.ts';
import {
  type ProblemCode,
  problemMediaType,
  problemMembers,
  problems,
} from '../../functions/shared/problems.ts';
import { defaultPorts } from '../command-line/running.ts';
import { answers, type Description, descriptions, parameterDescriptions } from './descriptions.ts';
import { everyHeader, everyResponse, type Json, json, mapped, reference } from './parts.ts';
import { answerSchema, parameterSchema, requestSchema } from './schema.ts';

/**
 * Returns the OpenAPI document as docs/openapi.json holds it. It is made of the schemas, the
 * operations and the problems that the functions run on.
 */
export const openApiText = (): string => `${JSON.stringify(openApiDocument(), null, 2)}\n`;

const tag = { name: 'Plants', description: 'What an owner keeps.' };
const requestId = 'JKJaXmPLvHcESHA=';
const everyOperation: ProblemCode[] = [
  'invalid-request',
  'unauthorized',
  'insufficient-scope',
  'request-blocked',
  'too-many-requests',
  'internal-error',
  'unavailable',
];

const faults: Partial<Record<ProblemCode, Fault[]>> = {
  'invalid-request': [
    { pointer: '/name', detail: 'must be 1 to 200 code points long' },
    { parameter: 'limt', detail: 'is unknown' },
  ],
  'unsupported-media-type': [{ header: 'Content-Type', detail: 'must be application/json' }],
};

function openApiDocument(): Json {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Plant Store',
      version: '1',
      description:
        'Clients send a bearer token with every request. ' +
        'A token belongs to an owner and gives access to the plants of that owner only. ' +
        'Errors are problem details (RFC 9457). A path or method that is not described here is ' +
        'answered with no-such-operation. A body above 10 MB is answered with 413 in plain text. ' +
        'Within a version there are only additions, also to the members of an answer. ' +
        `Every answer has the headers ${everyHeader.join(', ')}.`,
    },
    tags: [tag],
    servers: [
      {
        url: 'https://{api}.execute-api.{region}.amazonaws.com/v1',
        description: 'A deployed stack.',
        variables: { api: { default: 'abcdefghij' }, region: { default: 'us-east-1' } },
      },
      { url: `http://127.0.0.1:${defaultPorts.api}/v1`, description: 'npm start' },
    ],
    paths: paths(),
    components: {
      schemas: {
        ...bodySchemas(),
        ...mapped(answers, answerSchema),
        Problem: problemSchema,
        Fault: faultSchema,
      },
      headers: mapped(headers, (header) => ({ required: true, ...header })),
      responses: mapped(problems, (_, code) => problemResponse([code as ProblemCode])),
      securitySchemes: {
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          description: `An Authorization header matches ${authorizationPattern}`,
        },
      },
    },
  };
}

const missing = (what: string): never => {
  throw new Error(`bin/openapi/descriptions.ts lacks ${what}.`);
};

/** Returns the name and the example of an operation's body. */
const bodyOf = (name: Operation): NonNullable<Description<Operation>['body']> =>
  (descriptions[name] as Description<Operation>).body ?? missing(`the body's name of ${name}`);

/** Returns the schemas of the bodies that operations take, by their names. */
function bodySchemas(): Json {
  const schemas: Record<string, Fields> = {};
  for (const [operation, { input }] of Object.entries(descriptions)) {
    const { body }: InputSchema = input;
    if (!body) {
      continue;
    }
    const { name } = bodyOf(operation as Operation);
    if ((schemas[name] ?? body) !== body) {
      missing(`a name of its own for ${operation}'s body`);
    }
    schemas[name] = body;
  }
  return mapped(schemas, requestSchema);
}

function paths(): Json {
  const items: Record<string, Json> = {};
  for (const [name, { method, path }] of Object.entries(operations)) {
    const operation = { [method.toLowerCase()]: operationObject(name as Operation) };
    items[`/${path}`] = { ...items[`/${path}`], ...operation };
  }
  return items;
}

function parameterObjects(place: 'path' | 'query', fields: Fields = {}): Json[] {
  return Object.entries(fields).map(([name, field]) => ({
    name,
    in: place,
    required: field.isRequired,
    description: parameterDescriptions[name] ?? missing(`the description of the parameter ${name}`),
    schema: parameterSchema(field),
  }));
}

function operationObject(name: Operation): Json {
  const {
    summary,
    description,
    input,
    successes,
    problems: own,
  } = (descriptions[name] as Description<Operation> | undefined) ??
  missing(`the operation ${name}`);
  const { path, query, body } = input;
  const parameters = [...parameterObjects('path', path), ...parameterObjects('query', query)];
  const byStatus = Map.groupBy([...everyOperation, ...own], (code) => problems[code].status);
  const errors = [...byStatus].map(([status, codes]) => [
    status,
    codes.length === 1 ? reference('responses', `${codes[0]}`) : problemResponse(codes),
  ]);
  return {
    operationId: name,
    tags: [tag.name],
    summary,
    description,
    security: [{ accessToken: [operations[name].scope] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        ...json(reference('schemas', bodyOf(name).name), bodyOf(name).example),
      },
    }),
    responses: { ...successes, ...Object.fromEntries(errors) },
  };
}

const text = (description?: string): Json => ({
  type: 'string',
  ...(description && { description }),
});

const problemSchema = {
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri' },
    title: text(),
    status: { type: 'integer' },
    detail: text(),
    instance: text('The id of the request, as in X-Request-Id.'),
    errors: {
      type: 'array',
      minItems: 1,
      items: reference('schemas', 'Fault'),
      description: 'Every fault that was found, if the faults are known.',
    },
  },
  required: ['type', 'title', 'status', 'detail', 'instance'],
};

const places = {
  pointer: text('The place in the body, as a JSON pointer (RFC 6901).'),
  parameter: text('The name of a parameter in the path or the query.'),
  header: text('The name of a header.'),
};
const faultSchema = {
  type: 'object',
  properties: { ...places, detail: text() },
  required: ['detail'],
  oneOf: Object.keys(places).map((place) => ({ required: [place] })),
};

const headers: Record<string, Json> = {
  [requestIdHeader]: {
    description: 'Finds the log line of the request. It proves nothing about who sent it.',
    schema: { type: 'string', minLength: 1 },
    example: requestId,
  },
  ...mapped(commonHeaders(), (value) => ({ schema: { type: 'string', const: value } })),
  'Retry-After': {
    description: 'The seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
};

/** Returns the response for a status, with which an operation may answer several problems. */
function problemResponse(codes: ProblemCode[]): Json {
  const schemas = codes.map((code) => {
    const { type, title, status } = problemMembers(code);
    return {
      allOf: [reference('schemas', 'Problem')],
      properties: { type: { const: type }, title: { const: title }, status: { const: status } },
    };
  });
  const examples = codes.map((code) => {
    const value = JSON.parse(new Problem(code, faults[code]).toJson(requestId));
    return [code, { value }];
  });
  const ownHeaders = mapped(
    Object.assign({}, ...codes.map((code) => problems[code].headers)),
    (value, name) =>
      name === 'Retry-After'
        ? reference('headers', name)
        : { required: codes.length === 1, schema: { type: 'string', const: value } },
  );
  return {
    description: codes.map((code) => problemMembers(code).title).join(', or '),
    headers: { ...everyResponse, ...ownHeaders },
    content: {
      [problemMediaType]: {
        schema: codes.length === 1 ? schemas[0] : { oneOf: schemas },
        examples: Object.fromEntries(examples),
      },
    },
  };
}
