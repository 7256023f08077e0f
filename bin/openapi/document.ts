import * as v from 'valibot';
import type { InputSchema } from '../../functions/http/input.ts';
import { type Fault, Problem } from '../../functions/http/problem.ts';
import { fields } from '../../functions/plants/plant.ts';
import { authorizationPattern } from '../../functions/shared/access-token.ts';
import { commonHeaders, requestIdHeader } from '../../functions/shared/headers.ts';
import { type Operation, operations } from '../../functions/shared/operations.ts';
import {
  type ProblemCode,
  problemMediaType,
  problemMembers,
  problems,
} from '../../functions/shared/problems.ts';
import { type Description, descriptions, parameterDescriptions } from './descriptions.ts';
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
        'Clients with a bearer token create, list and delete plants. ' +
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
      { url: 'http://127.0.0.1:3000/v1', description: 'npm start' },
    ],
    paths: paths(),
    components: {
      schemas: {
        ...bodySchemas(),
        Plant: plantSchema,
        Problem: problemSchema,
        Fault: faultSchema,
      },
      headers: mapped(headerDescriptions(), (header) => ({ required: true, ...header })),
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

const bodyOf = (name: Operation) =>
  (descriptions[name] as Description<Operation>).body ?? missing(`the body's name of ${name}`);

/** Returns the schemas of the bodies that operations take, by their names. */
function bodySchemas(): Json {
  const schemas = new Map<string, v.GenericSchema>();
  for (const [operation, { input }] of Object.entries(descriptions)) {
    const { body } = (input as InputSchema).entries;
    if (!body) continue;
    const { name } = bodyOf(operation as Operation);
    if ((schemas.get(name) ?? body) !== body) missing(`a name of its own for ${operation}'s body`);
    schemas.set(name, body);
  }
  return mapped(Object.fromEntries(schemas), requestSchema);
}

function paths(): Json {
  const items: Record<string, Json> = {};
  for (const [name, { method, path }] of Object.entries(operations)) {
    const operation = { [method.toLowerCase()]: operationObject(name as Operation) };
    items[`/${path}`] = { ...items[`/${path}`], ...operation };
  }
  return items;
}

function operationObject(name: Operation): Json {
  const { summary, description, input, successes, problems: own } = descriptions[name];
  const { scope } = operations[name];
  const { path, query, body } = input.entries;
  const parameters = [
    ...parametersIn('path', path?.entries),
    ...parametersIn('query', query?.entries),
  ];
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
    security: [{ accessToken: [scope] }],
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

const parametersIn = (place: 'path' | 'query', entries: v.ObjectEntries = {}): Json[] =>
  Object.entries(entries).map(([name, schema]) => ({
    name,
    in: place,
    required: schema.type !== 'optional',
    description: parameterDescriptions[name] ?? missing(`the description of the parameter ${name}`),
    schema: parameterSchema(schema as v.GenericSchema, name),
  }));

// An answer has every field, also those that a request may leave out.
const shown = mapped(fields, (schema) => ('wrapped' in schema ? schema.wrapped : schema));
const plantSchema = answerSchema(v.object(shown as v.ObjectEntries));

const problemSchema = {
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string', description: 'The id of the request, as in X-Request-Id.' },
    errors: {
      type: 'array',
      minItems: 1,
      items: reference('schemas', 'Fault'),
      description: 'Every fault that was found, if the faults are known.',
    },
  },
  required: ['type', 'title', 'status', 'detail', 'instance'],
};

const faultSchema = {
  type: 'object',
  properties: {
    pointer: {
      type: 'string',
      description: 'The place in the body, as a JSON pointer (RFC 6901).',
    },
    parameter: { type: 'string', description: 'The name of a parameter in the path or the query.' },
    header: { type: 'string', description: 'The name of a header.' },
    detail: { type: 'string' },
  },
  required: ['detail'],
  oneOf: [{ required: ['pointer'] }, { required: ['parameter'] }, { required: ['header'] }],
};

function headerDescriptions(): Record<string, Json> {
  const constant = (value: string) => ({ schema: { type: 'string', const: value } });
  return {
    [requestIdHeader]: {
      description: 'Finds the log line of the request. It proves nothing about who sent it.',
      schema: { type: 'string', minLength: 1 },
      example: requestId,
    },
    ...mapped(commonHeaders(), constant),
    'Retry-After': {
      description: 'The seconds to wait before the next attempt.',
      schema: { type: 'integer', minimum: 1 },
      example: 1,
    },
  };
}

/** Returns the response for a status, with which an operation may answer several problems. */
function problemResponse(codes: ProblemCode[]): Json {
  const schemas = codes.map(problemOf);
  const examples = codes.map((code) => {
    const value = JSON.parse(new Problem(code, faults[code]).toJson(requestId));
    return [code, { value }];
  });
  return {
    description: codes.map((code) => problemMembers(code).title).join(', or '),
    headers: { ...everyResponse, ...Object.assign({}, ...codes.map(ownHeaders)) },
    content: {
      [problemMediaType]: {
        schema: codes.length === 1 ? schemas[0] : { oneOf: schemas },
        examples: Object.fromEntries(examples),
      },
    },
  };

  function ownHeaders(code: ProblemCode): Json {
    return mapped(problems[code].headers ?? {}, (value, name) =>
      name === 'Retry-After'
        ? reference('headers', name)
        : { required: codes.length === 1, schema: { type: 'string', const: value } },
    );
  }
}

function problemOf(code: ProblemCode): Json {
  const { type, title, status } = problemMembers(code);
  return {
    allOf: [reference('schemas', 'Problem')],
    properties: { type: { const: type }, title: { const: title }, status: { const: status } },
  };
}
