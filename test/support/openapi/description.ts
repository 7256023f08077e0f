import { Ajv2020 } from 'ajv/dist/2020.js';
import document from '../../../docs/openapi.json' with { type: 'json' };
import { type Operation, operations } from '../../../functions/shared/operations.ts';
import type { ProblemCode } from '../../../functions/shared/problems.ts';
import { type HttpResponse, parse } from '../http/http-client.ts';

/** A problem as an answer has it. */
interface ProblemDetails {
  type: string;
  errors?: Fault[];
}
type Fault = Record<'pointer' | 'parameter' | 'header' | 'detail', string>;

/**
 * Returns the place of a bad request's fault: `#` and a pointer, `?` and the name of a parameter,
 * or the name of a header and a colon.
 */
function placeOf({ pointer, parameter, header }: Partial<Fault>): string {
  if (pointer !== undefined) {
    return `#${pointer}`;
  }
  return parameter !== undefined ? `?${parameter}` : `${header}:`;
}

/** Returns the places of the faults that the body of a problem names, each once and in order. */
export function placesIn(body: string): string[] {
  const { errors = [] } = JSON.parse(body) as ProblemDetails;
  return [...new Set(errors.map(placeOf))].sort();
}

/** A response as OpenAPI describes it. */
export interface Description {
  headers: Record<string, { required?: boolean; schema: { const?: string }; example?: unknown }>;
  content?: Record<string, Content>;
}
interface Content {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

/** The schema of a member or a parameter. */
interface ValueSchema {
  type: string;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  schema: ValueSchema;
}

interface OperationObject {
  parameters?: Parameter[];
  requestBody?: {
    content: Record<
      string,
      { schema: { properties: Record<string, ValueSchema> }; example?: object }
    >;
  };
  responses: Record<string, Description>;
}

interface OpenApi {
  paths: Record<string, Record<string, OperationObject>>;
  components: {
    responses: Record<string, Description>;
    schemas: Record<string, { properties?: Record<string, ValueSchema> }>;
  };
}

/** docs/openapi.json, with its references resolved. */
export const openApi = resolve(document) as OpenApi;

function resolve(node: unknown): unknown {
  if (Array.isArray(node)) {
    return node.map(resolve);
  }
  if (typeof node !== 'object' || node === null) {
    return node;
  }
  const { $ref, ...members } = node as { $ref?: string };
  const resolved = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, resolve(value)]),
  );
  if ($ref === undefined) {
    return resolved;
  }
  const [, ...path] = $ref.split('/');
  return resolve(path.reduce((found: object, name) => Object(found)[name], document));
}

const options = { strict: false, validateFormats: false };
// The value of a header is text.
const validators = {
  body: new Ajv2020({ ...options, allErrors: true }),
  header: new Ajv2020({ ...options, coerceTypes: true }),
};

/** Headers that an answer may have only if its description has them. */
const telling = ['location', 'link', 'retry-after', 'www-authenticate'];

export const responsesOf = (operation: Operation): Record<string, Description> =>
  describedOperation(operation).responses;

export function describedOperation(operation: Operation): OperationObject {
  const { method, path } = operations[operation];
  return openApi.paths[`/${path}`]?.[method.toLowerCase()] ?? { responses: {} };
}

/** Returns the differences between the answer to an operation and its description. */
export const differences = (operation: Operation, answer: HttpResponse): string[] =>
  differencesFrom(responsesOf(operation)[answer.status], answer);

/** Returns the differences between an answer and the description of a problem. */
export function differencesFromProblem(code: ProblemCode, answer: HttpResponse): string[] {
  const { responses, schemas } = openApi.components;
  const described = Object.values(responses).find(({ content = {} }) =>
    Object.values(content).some(({ examples = {} }) => code in examples),
  );
  // No operation answers the problem of a path that is not described. It has the usual headers.
  const { headers = {} } = responses.Error404 ?? {};
  const usual = {
    headers,
    content: { 'application/problem+json': { schema: { ...schemas.Problem } } },
  };
  return differencesFrom(described ?? usual, answer);
}

export function differencesFrom(
  description: Description | undefined,
  answer: HttpResponse,
): string[] {
  if (!description) {
    return [`the answer ${answer.status} is not described: ${answer.body}`];
  }
  const { headers, content = {} } = description;
  const found: string[] = [];
  for (const [name, { required, schema }] of Object.entries(headers)) {
    const value = answer.headers[name.toLowerCase()];
    if (value === undefined && required) {
      found.push(`the header ${name} is missing`);
    }
    if (value !== undefined && !validators.header.validate(schema, value)) {
      found.push(`${name}: ${value} ${validators.header.errorsText()}`);
    }
  }
  const known = Object.keys(headers).map((name) => name.toLowerCase());
  for (const name of telling) {
    if (name in answer.headers && !known.includes(name)) {
      found.push(`the header ${name} is not described`);
    }
  }

  const [media] = Object.entries(content);
  if (!media) {
    return answer.body === '' ? found : [...found, `there is a body: ${answer.body}`];
  }
  const [mediaType, { schema, examples }] = media;
  if (answer.headers['content-type'] !== mediaType) {
    found.push(`the content type is ${answer.headers['content-type']}`);
  }
  if (!validators.body.validate(schema, parse(answer.body))) {
    found.push(`${validators.body.errorsText()}: ${answer.body}`);
  } else if (examples && !Object.values(examples).some(({ value }) => isLike(value, answer))) {
    found.push(`${answer.body} is none of ${Object.keys(examples)}`);
  }
  return found;
}

/** Tells whether an answer is the same problem as an example. */
function isLike(example: unknown, { body }: HttpResponse): boolean {
  const problem = JSON.parse(body);
  return ['type', 'title', 'status'].every((name) => Object(example)[name] === problem[name]);
}
