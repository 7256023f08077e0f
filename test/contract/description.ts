import { Ajv2020 } from 'ajv/dist/2020.js';
import document from '../../docs/openapi.json' with { type: 'json' };
import { type Operation, operations } from '../../functions/shared/operations.ts';
import type { ProblemCode } from '../../functions/shared/problems.ts';
import type { Field } from '../plants/largest-content.ts';
import { parse } from '../support/http/http-client.ts';

export interface Answer {
  status: number;
  /** By their names in lower case. */
  headers: Record<string, string | undefined>;
  body: string;
}

interface Content {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

/** A problem as an answer has it. */
export interface ProblemDetails {
  type: string;
  errors?: Fault[];
}
type Fault = Record<'pointer' | 'parameter' | 'header' | 'detail', string>;

/**
 * Returns the place of a bad request's fault: `#` and a pointer, `?` and the name of a parameter,
 * or the name of a header and a colon.
 */
export const placeOf = ({ pointer, parameter, header }: Partial<Fault>): string =>
  pointer !== undefined ? `#${pointer}` : parameter !== undefined ? `?${parameter}` : `${header}:`;

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

interface OperationObject {
  parameters?: { name: string; in: 'path' | 'query' }[];
  requestBody?: {
    content: Record<string, { schema: { properties: Record<string, Field> } }>;
  };
  responses: Record<string, Description>;
}

interface OpenApi {
  paths: Record<string, Record<string, OperationObject>>;
  components: { responses: Record<string, Description> };
}

/** docs/openapi.json, with its references resolved. */
export const openApi = resolve(document) as OpenApi;

function resolve(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(resolve);
  if (typeof node !== 'object' || node === null) return node;
  if (!('$ref' in node))
    return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, resolve(value)]));
  const [, ...path] = String(node.$ref).split('/');
  return resolve(path.reduce((found: object, name) => Object(found)[name], document));
}

// The value of a header is text.
const validators = {
  body: new Ajv2020({ strict: false, validateFormats: false, allErrors: true }),
  header: new Ajv2020({ strict: false, validateFormats: false, coerceTypes: true }),
};

/** Headers that an answer may have only if its description has them. */
const telling = ['location', 'link', 'retry-after', 'www-authenticate'];

/** Returns the statuses that the description of an operation has. */
export const statusesOf = (operation: Operation): number[] =>
  Object.keys(responsesOf(operation)).map(Number);

export const responsesOf = (operation: Operation): Record<string, Description> =>
  describedOperation(operation).responses;

/** Returns the parts of an operation's requests, like `?limit` and `#/name`. */
export function partsOf(operation: Operation): string[] {
  const { parameters = [], requestBody } = describedOperation(operation);
  const { properties = {} } = requestBody?.content['application/json']?.schema ?? {};
  return [
    ...parameters.map(({ name }) => `?${name}`),
    ...Object.keys(properties).map((name) => `#/${name}`),
  ];
}

export function describedOperation(operation: Operation): OperationObject {
  const { method, path } = operations[operation];
  return openApi.paths[`/${path}`]?.[method.toLowerCase()] ?? { responses: {} };
}

/** Returns the differences between the answer to an operation and its description. */
export function differences(operation: Operation, answer: Answer): string[] {
  const description = responsesOf(operation)[answer.status];
  return description
    ? differencesFrom(description, answer)
    : [`the status ${answer.status} is not described`];
}

/**
 * Returns what the link to the next page does not repeat of the list's URL. Its limit is the one in
 * force.
 */
export function differencesFromLink(url: string, { headers: { link = '' } }: Answer): string[] {
  const [, next] = /^<([^>]*)>/.exec(link) ?? [];
  if (next === undefined) return [];
  const linked = new URL(next, 'http://a').searchParams;
  return [...new URL(url, 'http://a').searchParams]
    .filter(([name, value]) => !['limit', 'cursor'].includes(name) && linked.get(name) !== value)
    .map(([name]) => `the Link lacks the parameter ${name}`);
}

/** Returns the differences between an answer and the description of a problem. */
export function differencesFromProblem(code: ProblemCode, answer: Answer): string[] {
  const description = openApi.components.responses[code];
  return description
    ? differencesFrom(description, answer)
    : [`the problem ${code} is not described`];
}

/** Returns the differences between an answer and its description. */
export function differencesFrom({ headers, content }: Description, answer: Answer): string[] {
  const found: string[] = [];
  for (const [name, { required, schema }] of Object.entries(headers)) {
    const value = answer.headers[name.toLowerCase()];
    if (value === undefined && required) found.push(`the header ${name} is missing`);
    if (value !== undefined && !validators.header.validate(schema, value))
      found.push(`${name}: ${value} ${validators.header.errorsText()}`);
  }
  const known = Object.keys(headers).map((name) => name.toLowerCase());
  found.push(
    ...telling
      .filter((name) => name in answer.headers && !known.includes(name))
      .map((name) => `the header ${name} is not described`),
  );

  const [[mediaType, { schema }] = ['', { schema: {} }]] = Object.entries(content ?? {});
  if (mediaType === '')
    return answer.body === '' ? found : [...found, `there is a body: ${answer.body}`];
  if (answer.headers['content-type'] !== mediaType)
    found.push(`the content type is ${answer.headers['content-type']}`);
  const body = parse(answer.body);
  if (!validators.body.validate(schema, body))
    found.push(`${validators.body.errorsText()}: ${answer.body}`);
  return found;
}
