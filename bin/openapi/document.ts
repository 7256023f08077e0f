import * as v from 'valibot';
import { authorizationPattern } from '../../functions/contract/access-token.ts';
import { commonHeaders, requestIdHeader } from '../../functions/contract/headers.ts';
import { type Operation, operations } from '../../functions/contract/operations.ts';
import {
  type ProblemCode,
  problemMediaType,
  problemMembers,
  problems,
} from '../../functions/contract/problems.ts';
import { scopes } from '../../functions/contract/scopes.ts';
import type { InputSchema } from '../../functions/http/input.ts';
import { type Fault, Problem } from '../../functions/http/problem.ts';
import { createPlantInput } from '../../functions/plants/create.ts';
import { encodeCursor } from '../../functions/plants/cursor.ts';
import { deletePlantInput } from '../../functions/plants/delete.ts';
import { largestPage, listPlantsInput } from '../../functions/plants/list.ts';
import { newPlant } from '../../functions/plants/plant.ts';
import { bodySchema, parameterSchema } from './schema.ts';

type Json = Record<string, unknown>;

/** The OpenAPI document as docs/openapi.json holds it: made of the schemas, the operations and the problems that the functions run on. */
export const openApiText = (): string => `${JSON.stringify(openApiDocument(), null, 2)}\n`;

interface Description {
  summary: string;
  description: string;
  input: InputSchema;
  bodyExample?: Json;
  successes: Record<number, Json>;
  /** Beside those that every operation has. */
  problems: ProblemCode[];
}

const plant = { name: 'Monstera', tag: 'shade' };
const nextPage = `/v1/plants?limit=2&cursor=${encodeCursor(9n)}`;

const reference = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const headers = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, reference('headers', name)]));
const everyResponse = headers(requestIdHeader, ...Object.keys(commonHeaders()));
const json = (schema: Json, example: unknown) => ({
  content: { 'application/json': { schema, example } },
});

const location = {
  required: true,
  description: 'The path of the plant.',
  schema: { type: 'string', pattern: '^(/[^/]+)*/plants/(0|-?[1-9][0-9]{0,18})$' },
  example: '/v1/plants/7',
};

const descriptions: Record<Operation, Description> = {
  createPlant: {
    summary: 'Create a plant',
    description:
      'Stores a plant under an id of the caller’s choice. The same request again changes nothing and is answered with 200, so that it can be retried.',
    input: createPlantInput,
    bodyExample: { id: 7, ...plant },
    successes: {
      201: {
        description: 'The plant was stored.',
        headers: { ...everyResponse, Location: location },
        ...json(reference('schemas', 'Plant'), plant),
      },
      200: {
        description: 'The plant was there already, with the same name and tag.',
        headers: { ...everyResponse, Location: location },
        ...json(reference('schemas', 'Plant'), plant),
      },
    },
    problems: ['plant-exists', 'content-too-large', 'unsupported-media-type'],
  },
  listPlants: {
    summary: 'List the caller’s plants',
    description:
      'In ascending order of their ids. It shows what was written before. To read on, follow Link for as long as there is one.',
    input: listPlantsInput,
    successes: {
      200: {
        description: 'A page of plants.',
        headers: {
          ...everyResponse,
          Link: {
            description: 'The path of the next page (RFC 8288), where there is one.',
            schema: {
              type: 'string',
              pattern:
                '^<(/[^/?]+)*/plants\\?limit=[1-9][0-9]{0,3}&cursor=[A-Za-z0-9_-]+>; rel="next"$',
            },
            example: `<${nextPage}>; rel="next"`,
          },
        },
        ...json({ type: 'array', maxItems: largestPage, items: reference('schemas', 'Plant') }, [
          { name: 'Aloe', tag: '' },
          plant,
        ]),
      },
    },
    problems: [],
  },
  deletePlant: {
    summary: 'Delete a plant',
    description: 'A body, if there is one, is ignored.',
    input: deletePlantInput,
    successes: { 204: { description: 'The plant was deleted.', headers: everyResponse } },
    problems: ['plant-not-found'],
  },
};

const everyOperation: ProblemCode[] = [
  'invalid-request',
  'unauthorized',
  'insufficient-scope',
  'too-many-requests',
  'internal-error',
  'unavailable',
];

const parameterDescriptions: Record<string, string> = {
  id: 'The id of the plant, in canonical decimal digits.',
  limit: `The most plants to list, in canonical decimal digits. Above ${largestPage} it means ${largestPage}.`,
  cursor: 'Where to go on, from a Link.',
};

const faults: Partial<Record<ProblemCode, Fault[]>> = {
  'invalid-request': [
    { pointer: '/name', detail: 'must be 1 to 200 code points long' },
    { parameter: 'limt', detail: 'is not a parameter of this operation' },
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
        'Clients with a bearer token create, list and delete plants. A token belongs to an owner, whose plants, and no others, it gives access to. ' +
        'Errors are problem details (RFC 9457); a path or method that is not described here is answered with no-such-operation. ' +
        'Within a version there are only additions.',
    },
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
        NewPlant: bodySchema(newPlant),
        Plant: plantSchema,
        Problem: problemSchema,
        Fault: faultSchema,
      },
      headers: Object.fromEntries(
        Object.entries(headerDescriptions()).map(([name, header]) => [
          name,
          { required: true, ...header },
        ]),
      ),
      responses: Object.fromEntries(
        Object.keys(problems).map((code) => [code, problemResponse(code as ProblemCode)]),
      ),
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

function paths(): Json {
  const items: Record<string, Json> = {};
  for (const [name, { method, path }] of Object.entries(operations)) {
    items[`/${path}`] = {
      ...items[`/${path}`],
      [method.toLowerCase()]: operationObject(name as Operation),
    };
  }
  return items;
}

function operationObject(name: Operation): Json {
  const { summary, description, input, bodyExample, successes, problems: own } = descriptions[name];
  const { path, query, body } = input.entries;
  const parameters = [
    ...parametersIn('path', path?.entries),
    ...parametersIn('query', query?.entries),
  ];
  const errors = [...everyOperation, ...own].map((code) => [
    problems[code].status,
    reference('responses', code),
  ]);
  return {
    operationId: name,
    summary,
    description,
    security: [
      {
        accessToken: Object.entries(scopes).flatMap(([scope, allowed]) =>
          allowed.some((one) => one === name) ? [scope] : [],
        ),
      },
    ],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: true, ...json(reference('schemas', 'NewPlant'), bodyExample) },
    }),
    responses: { ...successes, ...Object.fromEntries(errors) },
  };
}

const parametersIn = (place: 'path' | 'query', entries: v.ObjectEntries = {}): Json[] =>
  Object.entries(entries).map(([name, schema]) => ({
    name,
    in: place,
    required: schema.type !== 'optional',
    description: parameterDescriptions[name],
    schema: parameterSchema(schema as v.GenericSchema),
  }));

const { id, ...shown } = newPlant.entries;
const plantSchema = bodySchema(v.object({ ...shown, tag: shown.tag.wrapped }));

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
      description: 'Every fault found, where faults are known.',
    },
  },
  required: ['type', 'title', 'status', 'detail', 'instance'],
};

const faultSchema = {
  type: 'object',
  properties: {
    pointer: { type: 'string', description: 'Where in the body: a JSON pointer (RFC 6901).' },
    parameter: { type: 'string', description: 'The name of a parameter of path or query.' },
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
      description: 'For finding what the log says of a request.',
      schema: { type: 'string', minLength: 1 },
      example: '3f9c1a52-8a1f-4f0e-9f0b-6c0f6f3f8f11',
    },
    ...Object.fromEntries(
      Object.entries(commonHeaders()).map(([name, value]) => [name, constant(value)]),
    ),
    'Retry-After': {
      description: 'Seconds to wait before trying again.',
      schema: { type: 'integer', minimum: 1 },
      example: 1,
    },
  };
}

function problemResponse(code: ProblemCode): Json {
  const { headers: own, title } = problems[code];
  const { type, status } = problemMembers(code);
  const example: Json = JSON.parse(
    new Problem(code, faults[code]).toJson('3f9c1a52-8a1f-4f0e-9f0b-6c0f6f3f8f11'),
  );
  const ownHeaders = Object.entries(own).map(([name, value]) => [
    name,
    name === 'Retry-After'
      ? reference('headers', name)
      : { required: true, schema: { type: 'string', const: value } },
  ]);
  return {
    description: title,
    headers: { ...everyResponse, ...Object.fromEntries(ownHeaders) },
    content: {
      [problemMediaType]: {
        schema: {
          allOf: [reference('schemas', 'Problem')],
          properties: { type: { const: type }, title: { const: title }, status: { const: status } },
        },
        example,
      },
    },
  };
}
