import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import document from '../../../docs/openapi.json' with { type: 'json' };
import { type Operation, operations } from '../../../functions/shared/operations.ts';
import type { ProblemCode } from '../../../functions/shared/problems.ts';
import { type HttpResponse, parse } from '../http/http-client.ts';

type InputError = Partial<Record<'pointer' | 'parameter' | 'header', string>>;

/**
 * Returns the places of the errors in a problem, each once and in order: `#` and a pointer, `?` and
 * the name of a parameter, or the name of a header and a colon.
 */
export function findPlaces(body: string): string[] {
  const { errors = [] } = JSON.parse(body) as { errors?: InputError[] };
  const places = errors.map(({ pointer, parameter, header }) => {
    if (pointer !== undefined) {
      return `#${pointer}`;
    }
    return parameter !== undefined ? `?${parameter}` : `${header}:`;
  });
  return [...new Set(places)].sort();
}

/** A response as OpenAPI describes it. */
interface Description {
  headers: Record<string, { required?: boolean; schema: { const?: string }; example?: unknown }>;
  content?: Record<
    string,
    { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }
  >;
}

/** The schema of a value in a request. */
export interface Schema {
  type: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

interface ObjectSchema {
  properties: Record<string, Schema>;
  required?: string[];
}

interface OperationObject {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: ObjectSchema; example: unknown }> };
  responses: Record<string, Description>;
}

interface OpenApi {
  paths: Record<string, Record<string, OperationObject>>;
  components: { responses: Record<string, Description>; schemas: { Problem: object } };
}

/** docs/openapi.json with its references resolved. */
export const openApi = new Validator().resolveRefs({
  specification: structuredClone(document),
}) as unknown as OpenApi;

// Tests of the document validate its schemas.
const options = { strict: false, validateFormats: false, validateSchema: false };
// The value of a header is text.
const validators = {
  body: new Ajv2020({ ...options, allErrors: true }),
  header: new Ajv2020({ ...options, coerceTypes: true }),
};

/** The forms of references, because the document has no patterns. */
const forms: Record<string, RegExp> = {
  'Access-Token-Expires': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  Location: /^(?:\/[^/]+)*\/plants\/(?:0|-?[1-9][0-9]{0,18})$/,
  Link: /^<(?:\/[^/?]+)*\/plants\?(?:[^>]*&)?limit=[1-9][0-9]{0,3}&cursor=1[\w-]{10}[AEIMQUYcgkosw048](?:&[^>]*)?>; rel="next"$/,
};

/** Headers that a response may have only if its description has them. */
const describedHeaders = [
  'access-token-expires',
  'link',
  'location',
  'retry-after',
  'www-authenticate',
];

/** Returns the schema of an operation's body, if it reads one. */
export const findBody = (operation: Operation): ObjectSchema | undefined =>
  findOperation(operation).requestBody?.content['application/json']?.schema;

export function findOperation(operation: Operation): OperationObject {
  const { method, path } = operations[operation];
  return openApi.paths[`/${path}`]?.[method.toLowerCase()] ?? { responses: {} };
}

/** Returns the differences between an operation's response and its description. */
export const differences = (operation: Operation, response: HttpResponse): string[] =>
  differencesFrom(findOperation(operation).responses[response.status], response);

/** Returns the differences between a response and the description of a problem. */
export function differencesFromProblem(code: ProblemCode, response: HttpResponse): string[] {
  const { responses, schemas } = openApi.components;
  const described = Object.values(responses).find(({ content = {} }) =>
    Object.values(content).some(({ examples = {} }) => code in examples),
  );
  // Only unknown paths return a problem that is not described. It has the usual headers.
  const { headers = {} } = responses.Error404 ?? {};
  const usual = { headers, content: { 'application/problem+json': { schema: schemas.Problem } } };
  return differencesFrom(described ?? usual, response);
}

export function differencesFrom(
  description: Description | undefined,
  { status, headers, body }: HttpResponse,
): string[] {
  if (!description) {
    return [`the response ${status} is not described: ${body}`];
  }
  const found: string[] = [];
  for (const [name, { required, schema }] of Object.entries(description.headers)) {
    const value = headers[name.toLowerCase()];
    if (value === undefined && required) {
      found.push(`the header ${name} is missing`);
    }
    if (value !== undefined && !validators.header.validate(schema, value)) {
      found.push(`${name}: ${value} ${validators.header.errorsText()}`);
    }
    if (value !== undefined && forms[name]?.test(value) === false) {
      found.push(`${name}: ${value} has another form`);
    }
  }
  const known = Object.keys(description.headers).map((name) => name.toLowerCase());
  for (const name of describedHeaders) {
    if (name in headers && !known.includes(name)) {
      found.push(`the header ${name} is not described`);
    }
  }

  const [media] = Object.entries(description.content ?? {});
  if (!media) {
    return body === '' ? found : [...found, `there is a body: ${body}`];
  }
  const [mediaType, { schema, examples }] = media;
  if (headers['content-type'] !== mediaType) {
    found.push(`the content type is ${headers['content-type']}`);
  }
  if (!validators.body.validate(schema, parse(body))) {
    found.push(`${validators.body.errorsText()}: ${body}`);
  } else if (examples && !Object.values(examples).some(({ value }) => isSameProblem(value, body))) {
    found.push(`${body} is none of ${Object.keys(examples)}`);
  }
  return found;
}

function isSameProblem(example: unknown, body: string): boolean {
  const problem = JSON.parse(body);
  return ['type', 'title', 'status'].every((name) => Object(example)[name] === problem[name]);
}
