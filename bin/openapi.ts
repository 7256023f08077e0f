import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { type Fault, Problem } from '../functions/http/problem.ts';
import {
  cursorAfter,
  cursorPattern,
  largestLimit,
  largestPage,
  newPlant,
} from '../functions/plants/plant.ts';
import { authorizationPattern } from '../functions/shared/access-token.ts';
import { commonHeaders, requestIdHeader } from '../functions/shared/headers.ts';
import { type Operation, operations } from '../functions/shared/operations.ts';
import {
  type ProblemCode,
  problemMediaType,
  problemMembers,
  problems,
} from '../functions/shared/problems.ts';
import { exampleId, examplePlant } from './command-line/example-plant.ts';

type Json = Record<string, unknown>;

const plantId = {
  type: 'integer',
  format: 'int64',
  description:
    'A 64-bit integer. JavaScript’s numbers lose digits above 2^53: choose ids below it, write an ' +
    'id with JSON.rawJSON, or use a JSON library that keeps digits. A string is refused.',
} as const;
// Without `\p{…}` and surrogates, so that Python, Java, Rust and JavaScript read it alike.
const textPattern = '^[^\\u0000-\\u001F\\u007F-\\u009F\\uFFFD]*$';

/** Returns the JSON Schema of what clients send or get. */
function jsonSchema(schema: v.GenericSchema): Json {
  const converted = toJsonSchema(schema, {
    typeMode: 'input',
    // The bounds of an int64 would be rounded, and the lengths of a text are its metadata.
    ignoreActions: ['min_value', 'max_value', 'regex'],
    overrideSchema({ valibotSchema, jsonSchema }): JsonSchema | undefined {
      switch (valibotSchema.type) {
        case 'bigint':
          return plantId;
        case 'string':
          return { ...jsonSchema, pattern: textPattern };
        case 'optional': {
          // Generators of clients take a member with a default for one that is required.
          const { default: _, ...others } = jsonSchema;
          return { ...others, description: 'Empty if it is left out.' };
        }
        default:
          return undefined;
      }
    },
  });
  const { $schema: _, ...members } = converted;
  return members;
}

const reference = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });
const text = (description: string): Json => ({ type: 'string', description });

const problemSchema = {
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri', description: 'Tells the problems apart.' },
    title: text('The type in words.'),
    status: { type: 'integer', description: 'The status of the response.' },
    detail: text('What is wrong, for a person.'),
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

const faultSchema = {
  type: 'object',
  description: 'A fault of a request. It has one of pointer, parameter and header.',
  properties: {
    pointer: text('The place in the body, as a JSON pointer (RFC 6901).'),
    parameter: text('The name of a parameter in the path or the query.'),
    header: text('The name of a header.'),
    detail: text('What is wrong, and what would be right.'),
  },
  required: ['detail'],
};

const requestId = 'JKJaXmPLvHcESHA=';
const everyHeader = [requestIdHeader, ...Object.keys(commonHeaders())];
const everyResponse = Object.fromEntries(
  everyHeader.map((name) => [name, reference('headers', name)]),
);

const headers: Record<string, Json> = {
  [requestIdHeader]: {
    required: true,
    description: 'Finds the log line of the request. It proves nothing about who sent it.',
    schema: { type: 'string', minLength: 1 },
    example: requestId,
  },
  ...Object.fromEntries(
    Object.entries(commonHeaders()).map(([name, value]) => [
      name,
      { required: true, schema: { type: 'string', const: value } },
    ]),
  ),
  'Retry-After': {
    required: true,
    description: 'The seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
};

const exampleFaults: Partial<Record<ProblemCode, Fault[]>> = {
  'invalid-request': [
    { pointer: '/name', detail: 'must be 1 to 200 code points long' },
    { parameter: 'limt', detail: 'is unknown' },
  ],
  'unsupported-media-type': [{ header: 'Content-Type', detail: 'must be application/json' }],
};

/** A response is called as its problem, but for the two that have the same status. */
type ErrorResponse = ProblemCode | 'forbidden';

function codesOf(response: ErrorResponse): [ProblemCode, ...ProblemCode[]] {
  return response === 'forbidden' ? ['insufficient-scope', 'request-blocked'] : [response];
}

function errorResponse(name: ErrorResponse): Json {
  const codes = codesOf(name);
  const own: Json = {};
  for (const [name, value] of codes.flatMap((code) =>
    Object.entries(problems[code].headers ?? {}),
  )) {
    own[name] =
      name === 'Retry-After'
        ? reference('headers', name)
        : { required: codes.length === 1, schema: { type: 'string', const: value } };
  }
  const examples = codes.map((code) => {
    const value = JSON.parse(new Problem(code, exampleFaults[code]).toJson(requestId));
    return [code, { value }];
  });
  return {
    description: codes.map((code) => problemMembers(code).title).join(', or '),
    headers: { ...everyResponse, ...own },
    content: {
      [problemMediaType]: {
        // One schema for all, which generators give one type. The examples tell them apart.
        schema: reference('schemas', 'Problem'),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

const json = (schema: Json, example: unknown) => ({
  content: { 'application/json': { schema, example } },
});

const created = (description: string): Json => ({
  description,
  headers: {
    ...everyResponse,
    Location: {
      required: true,
      description: 'The path of the plant.',
      schema: { type: 'string', pattern: '^(/[^/]+)*/plants/(0|-?[1-9][0-9]{0,18})$' },
      example: `/v1/plants/${exampleId}`,
    },
  },
  ...json(reference('schemas', 'Plant'), examplePlant),
});

const nextQuery = `limit=[1-9][0-9]{0,3}&cursor=${cursorPattern}`;
const page = {
  description: 'A page of plants.',
  headers: {
    ...everyResponse,
    Link: {
      description: 'The path of the next page (RFC 8288), if there is one.',
      schema: { type: 'string', pattern: `^<(/[^/?]+)*/plants\\?${nextQuery}>; rel="next"$` },
      example: `</v1/plants?limit=2&cursor=${cursorAfter(BigInt(exampleId))}>; rel="next"`,
    },
  },
  ...json({ type: 'array', maxItems: largestPage, items: reference('schemas', 'Plant') }, [
    { name: 'Aloe', tag: '' },
    examplePlant,
  ]),
};

interface Description {
  summary: string;
  description: string;
  parameters?: Json[];
  requestBody?: Json;
  successes: Record<number, Json>;
  /** In addition to those of every operation. */
  errors: ErrorResponse[];
}

const descriptions: Record<Operation, Description> = {
  createPlant: {
    summary: 'Create a plant',
    description:
      'Stores a plant under an id that the caller chooses. ' +
      'The same request again changes nothing and is answered with 200. After a 503 it may bring ' +
      'back a plant that another caller deleted meanwhile.',
    requestBody: {
      required: true,
      ...json(reference('schemas', 'NewPlant'), { id: exampleId, ...examplePlant }),
    },
    successes: {
      200: created('The plant existed already, with the same content.'),
      201: created('The plant was stored.'),
    },
    errors: ['plant-exists', 'content-too-large', 'unsupported-media-type'],
  },
  listPlants: {
    summary: 'List the caller’s plants',
    description:
      'Lists plants in ascending order of their ids, including everything written before. ' +
      'To read on, follow Link until a page has none.',
    parameters: [
      {
        name: 'limit',
        in: 'query',
        description: `The maximum number of plants. A value above ${largestPage} means ${largestPage}.`,
        schema: {
          type: 'integer',
          minimum: 1,
          maximum: Number(largestLimit),
          default: largestPage,
        },
      },
      {
        name: 'cursor',
        in: 'query',
        description: 'The position after which to continue, as a Link has it.',
        schema: { type: 'string', pattern: `^${cursorPattern}$` },
      },
    ],
    successes: { 200: page },
    errors: [],
  },
  deletePlant: {
    summary: 'Delete a plant',
    description:
      'A body is ignored. To repeat it after a 503 may delete a plant that another caller ' +
      'created meanwhile.',
    parameters: [{ name: 'id', in: 'path', required: true, schema: plantId }],
    successes: { 204: { description: 'The plant was deleted.', headers: everyResponse } },
    errors: ['plant-not-found'],
  },
};

const everyOperation: ErrorResponse[] = [
  'invalid-request',
  'unauthorized',
  'forbidden',
  'too-many-requests',
  'internal-error',
  'unavailable',
];

const group = { name: 'Plants', description: 'What an owner keeps.' };

function operationObject(name: Operation): Json {
  const { successes, errors: own, ...described } = descriptions[name];
  const errors = [...everyOperation, ...own].map((error) => {
    const [code] = codesOf(error);
    return [problems[code].status, reference('responses', error)];
  });
  return {
    operationId: name,
    tags: [group.name],
    ...described,
    security: [{ accessToken: [operations[name].scope] }],
    responses: { ...successes, ...Object.fromEntries(errors) },
  };
}

function paths(): Json {
  const items: Record<string, Json> = {};
  for (const [name, { method, path }] of Object.entries(operations)) {
    const operation = { [method.toLowerCase()]: operationObject(name as Operation) };
    items[`/${path}`] = { ...items[`/${path}`], ...operation };
  }
  return items;
}

const { name, tag } = newPlant.entries;

const document = {
  openapi: '3.1.1',
  info: {
    title: 'Plant Store',
    version: '1',
    license: { name: 'MIT', identifier: 'MIT' },
    description:
      'Clients send a bearer token with every request. ' +
      'A token belongs to an owner and gives access to the plants of that owner only. ' +
      'Errors are problem details (RFC 9457). A path or method that is not described here is ' +
      'answered with no-such-operation. A body above 10 MB is answered with 413 in plain text. ' +
      'Within a version there are only additions, also to the members of an answer. ' +
      `Every answer has the headers ${everyHeader.join(', ')}.`,
  },
  tags: [group],
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
      // A request has no further members, and an answer may have some.
      NewPlant: { ...jsonSchema(newPlant), additionalProperties: false },
      Plant: jsonSchema(v.object({ name, tag: tag.wrapped })),
      Problem: problemSchema,
      Fault: faultSchema,
    },
    headers,
    responses: Object.fromEntries(
      [everyOperation, ...Object.values(descriptions).map(({ errors }) => errors)]
        .flat()
        .map((name) => [name, errorResponse(name)]),
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

/**
 * The description of the API as docs/openapi.json holds it. It is made of the schemas, the
 * operations and the problems that the functions run on.
 */
export const openApiText = `${JSON.stringify(document, null, 2)}\n`;

if (import.meta.main) {
  writeFileSync(join(import.meta.dirname, '..', 'docs', 'openapi.json'), openApiText);
  console.log('Wrote docs/openapi.json.');
}
