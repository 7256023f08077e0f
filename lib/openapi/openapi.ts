import * as v from 'valibot';
import {
  formatCursor,
  largestLimit,
  largestPage,
  type listQuery,
} from '../../functions/plants/page.ts';
import { newPlant, type plantPath } from '../../functions/plants/plant.ts';
import { tokenEndHeader } from '../../functions/shared/headers.ts';
import { type Operation, operations, stageName } from '../../functions/shared/operations.ts';
import { authorizationPattern } from '../../functions/shared/token-form.ts';
import { defaultPorts } from '../command-line/default-ports.ts';
import { exampleId, examplePlant } from './example-plant.ts';
import { makeJsonSchema } from './json-schema.ts';
import {
  componentReference,
  errorResponses,
  headers,
  inputErrorSchema,
  type Json,
  ofFunctions,
  problemSchema,
  responses,
  tokenEnd,
} from './responses.ts';

// Without the bounds of an int64, because JSON.parse would round them.
const id = v.pipe(
  v.bigint(),
  v.metadata({ format: 'int64' }),
  v.description(
    'A 64-bit integer. JavaScript’s numbers lose digits above 2^53: choose smaller ids, write ids ' +
      'with JSON.rawJSON, or use a JSON library that keeps all digits. A string returns 400.',
  ),
);

const sentPlant = v.pipe(
  v.strictObject({ ...newPlant.entries, id }),
  v.description(
    'Texts are well-formed Unicode. Control characters (U+0000 to U+001F, U+007F to U+009F) and ' +
      'U+FFFD return 400.',
  ),
);
const returnedEntries = Object.entries(v.omit(newPlant, ['id']).entries).map(([name, entry]) => {
  // Responses always have a member that has a default.
  const hasDefault = 'default' in entry && entry.default !== undefined;
  return [name, hasDefault ? entry.wrapped : entry] as const;
});
const returnedPlant = v.object(Object.fromEntries(returnedEntries));

const json = (schema: Json, example: unknown) => ({
  content: { 'application/json': { schema, example } },
});

const describeCreation = (description: string): Json => ({
  description,
  headers: {
    ...ofFunctions,
    Location: {
      required: true,
      description: 'The path of the plant.',
      schema: { type: 'string' },
      example: `/${stageName}/plants/${exampleId}`,
    },
  },
  ...json(componentReference('schemas', 'Plant'), examplePlant),
});

/** Describes the parameters of a schema. A new one is an error of types here. */
const listParameters: Record<keyof typeof listQuery.entries, Json> = {
  limit: {
    description: `The maximum number of plants. A value above ${largestPage} means ${largestPage}.`,
    schema: { type: 'integer', minimum: 1, maximum: Number(largestLimit), default: largestPage },
  },
  cursor: {
    description: 'A cursor from a Link. The list continues after its position.',
    schema: { type: 'string' },
  },
};
const plantParameters: Record<keyof typeof plantPath.entries, Json> = {
  id: { required: true, schema: makeJsonSchema(id), example: exampleId },
};
const parameters = (place: 'path' | 'query', described: Record<string, Json>): Json[] =>
  Object.entries(described).map(([name, members]) => ({ name, in: place, ...members }));

const page = {
  description: 'A page of plants.',
  headers: {
    ...ofFunctions,
    Link: {
      description: 'The path of the next page (RFC 8288), if there is one.',
      schema: { type: 'string' },
      example: `</${stageName}/plants?limit=2&cursor=${formatCursor(BigInt(exampleId))}>; rel="next"`,
    },
  },
  ...json({ type: 'array', maxItems: largestPage, items: componentReference('schemas', 'Plant') }, [
    { ...examplePlant, name: 'Aloe', tag: '' },
    examplePlant,
  ]),
};

const descriptions: Record<Operation, Json> = {
  createPlant: {
    summary: 'Create a plant',
    description:
      'Stores a plant under an id that the caller chooses. The tag is empty if it is left out. ' +
      'Repeating the request changes nothing and returns 200. After a 503, repeating it may ' +
      'restore a plant that another caller deleted in between.',
    requestBody: {
      required: true,
      ...json(componentReference('schemas', 'NewPlant'), { id: exampleId, ...examplePlant }),
    },
    responses: responses(
      {
        200: describeCreation('The same plant already exists.'),
        201: describeCreation('The plant was stored.'),
      },
      [409, 413, 415],
      [
        { pointer: '/name', detail: 'is required' },
        { pointer: '/nmae', detail: 'is unknown' },
      ],
    ),
  },
  listPlants: {
    summary: 'List the caller’s plants',
    description:
      'Lists plants in ascending order of their ids. The list includes all earlier writes. ' +
      'For the other pages, follow Link until a page has none.',
    parameters: parameters('query', listParameters),
    responses: responses(
      { 200: page },
      [],
      [
        { parameter: 'limit', detail: 'must be at least 1' },
        { parameter: 'limt', detail: 'is unknown' },
      ],
    ),
  },
  deletePlant: {
    summary: 'Delete a plant',
    description:
      'A request body is ignored. After a 503, repeating the request may delete a plant that ' +
      'another caller created in between.',
    parameters: parameters('path', plantParameters),
    responses: responses(
      { 204: { description: 'The plant was deleted.', headers: ofFunctions } },
      [404],
      [
        {
          parameter: 'id',
          detail: 'must be an integer like 7 or -7, with at most 19 digits and no leading zeros',
        },
      ],
    ),
  },
};

const group = { name: 'Plants', description: 'The plants of an owner.' };

function paths(): Json {
  const items: Record<string, Json> = {};
  for (const [name, { method, path, scope }] of Object.entries(operations)) {
    const operation = {
      operationId: name,
      tags: [group.name],
      ...descriptions[name as Operation],
      security: [{ accessToken: [scope] }],
    };
    items[`/${path}`] = { ...items[`/${path}`], [method.toLowerCase()]: operation };
  }
  return items;
}

const document = {
  openapi: '3.1.1',
  info: {
    title: 'Plant Store',
    version: '1',
    license: { name: 'MIT', identifier: 'MIT' },
    description:
      'Clients send a bearer token with every request. ' +
      'A token belongs to an owner, and gives access to the plants of that owner only. ' +
      'Errors are problem details (RFC 9457). Other paths and methods return no-such-operation. ' +
      'A version of the API only grows: responses may get new members. ' +
      `Responses have the headers ${Object.keys(headers).join(', ')}. ` +
      'A body above 6 MB may get 413 without these headers, and above 10 MB in plain text.',
  },
  tags: [group],
  servers: [
    {
      url: `https://{api}.execute-api.{region}.amazonaws.com/${stageName}`,
      description: 'A deployed stack.',
      variables: { api: { default: 'YOUR-API-ID' }, region: { default: 'us-east-1' } },
    },
    { url: `http://127.0.0.1:${defaultPorts.api}/${stageName}`, description: 'npm start' },
  ],
  paths: paths(),
  components: {
    schemas: {
      // Requests allow no other members. Responses may get some.
      NewPlant: makeJsonSchema(sentPlant),
      Plant: makeJsonSchema(returnedPlant),
      Problem: problemSchema,
      InputError: inputErrorSchema,
    },
    headers: { ...headers, [tokenEndHeader]: tokenEnd },
    responses: errorResponses,
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
 * The text of docs/openapi.json, made from the schemas, operations and problems of the functions.
 */
export const openApiText = `${JSON.stringify(document, null, 2)}\n`;
