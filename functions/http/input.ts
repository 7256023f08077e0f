import { isUtf8 } from 'node:buffer';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { maxBodyBytes } from '../shared/operations.ts';
import { findJsonObject } from './json.ts';
import { type InputError, Problem } from './problem.ts';

type ObjectSchema = v.GenericSchema & { entries: v.ObjectEntries };

/**
 * The schemas of an operation's input. Without `query`, every query parameter is an error. Without
 * `body`, the body is ignored.
 */
export interface InputSchemas {
  body?: ObjectSchema;
  path?: ObjectSchema;
  query?: ObjectSchema;
}

export type Input<S extends InputSchemas> = {
  [Part in keyof S]: S[Part] extends ObjectSchema ? v.InferOutput<S[Part]> : undefined;
};

const nothing = v.object({});

/**
 * Reads an event as an operation's input. Throws a problem that lists every error in the body, the
 * path and the query.
 */
export function parseInput<S extends InputSchemas>(
  schemas: S,
  event: APIGatewayProxyEvent,
): Input<S> {
  const body = schemas.body
    ? validateBody(schemas.body, event)
    : { content: undefined, errors: [] };
  const path = validate(schemas.path ?? nothing, parsePath(event));
  const query = validate(schemas.query ?? nothing, parseQuery(event));
  const parameters = [...path.errors, ...query.errors];
  const errors: InputError[] = [
    ...body.errors,
    ...parameters.map(({ name, detail }) => ({ parameter: name, detail })),
  ];
  if (errors.length > 0) {
    throw new Problem('invalid-request', errors);
  }
  return { body: body.content, path: path.content, query: query.content } as Input<S>;
}

/** The members of an object, or the parameters of a path or query. */
interface NamedValues {
  members: Record<string, unknown>;
  /** The names that occur more than once. */
  repeated: string[];
}

/**
 * Reads named values by a schema. Lists every error, with the name of its value. The content is
 * valid if there are no errors.
 */
export function validate<S extends ObjectSchema>(
  schema: S,
  { members, repeated }: NamedValues,
): { content: v.InferOutput<S>; errors: { name: string; detail: string }[] } {
  // Valibot's strict objects report only one unknown member, and neither `__proto__` nor
  // `constructor`.
  const unknown = Object.keys(members).filter((name) => !Object.hasOwn(schema.entries, name));
  const { output, issues = [] } = v.safeParse(schema, members);
  const errors = [
    ...repeated.map((name) => ({ name, detail: 'must occur only once' })),
    ...unknown.map((name) => ({ name, detail: 'is unknown' })),
    ...issues.map(({ path, message }) => ({ name: `${path?.[0]?.key}`, detail: message })),
  ];
  return { content: output as v.InferOutput<S>, errors };
}

/** Reads the body of a request. Throws the problems that stand alone: 415, then 413. */
function validateBody(
  schema: ObjectSchema,
  event: APIGatewayProxyEvent,
): { content: unknown; errors: InputError[] } {
  requireJson(event);
  const text = typeof event.body === 'string' ? event.body : '';
  const bytes = Buffer.from(text, event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > maxBodyBytes) {
    throw new Problem('content-too-large');
  }
  const parsed = parseBody(bytes);
  if ('detail' in parsed) {
    return { content: undefined, errors: [{ pointer: '', detail: parsed.detail }] };
  }
  const { content, errors } = validate(schema, parsed);
  return {
    content,
    errors: errors.map(({ name, detail }) => ({ pointer: formatPointer(name), detail })),
  };
}

/** Parameters are ignored. RFC 8259 gives a charset no meaning. */
const jsonType = /^application\/json[ \t]*(?:;|$)/i;

function requireJson(event: APIGatewayProxyEvent): void {
  const types = findHeaderValues(event, 'content-type');
  const encodings = findHeaderValues(event, 'content-encoding');
  const errors: InputError[] = [];
  if (types.length !== 1 || !jsonType.test(`${types[0]}`)) {
    errors.push({ header: 'Content-Type', detail: 'must be application/json' });
  }
  if (encodings.length > 0) {
    errors.push({ header: 'Content-Encoding', detail: 'must not be sent' });
  }
  if (errors.length > 0) {
    throw new Problem('unsupported-media-type', errors);
  }
}

/** A client chooses the case of a header's name, and can send the same name in two cases. */
function findHeaderValues({ multiValueHeaders }: APIGatewayProxyEvent, sought: string): unknown[] {
  return Object.entries(multiValueHeaders ?? {})
    .filter(([name]) => name.toLowerCase() === sought)
    .flatMap(([, values]) => values);
}

/** Returns the members of the object in a body, or the error in the body as a whole. */
function parseBody(bytes: Buffer): NamedValues | { detail: string } {
  if (bytes.length === 0) {
    return { detail: 'must be a JSON object, but there is no body' };
  }
  if (!isUtf8(bytes)) {
    return { detail: 'is not well-formed UTF-8' };
  }
  const text = bytes.toString();
  if (text.startsWith('\uFEFF')) {
    return { detail: 'must not begin with a byte order mark' };
  }
  try {
    return findJsonObject(text) ?? { detail: 'must be a JSON object' };
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
    // V8 quotes at most 40 characters of the body, which only its sender sees. The quote may cut a
    // surrogate pair in two.
    return { detail: `is not well-formed JSON: ${error.message.toWellFormed()}` };
  }
}

/**
 * Returns a JSON pointer to a member of the top level. A lone surrogate in its name becomes U+FFFD,
 * because some clients could not read it.
 */
function formatPointer(name: string): string {
  return `/${name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * Decodes the path parameters, because a REST API passes them on percent-encoded. `sam local`
 * decodes them itself: https://github.com/aws/aws-sam-cli/issues/771.
 */
function parsePath({ pathParameters }: APIGatewayProxyEvent): NamedValues {
  const decoded = Object.entries(pathParameters ?? {}).map(([name, value]) => [
    name,
    decode(value),
  ]);
  return { members: Object.fromEntries(decoded), repeated: [] };
}

function decode(value = ''): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function parseQuery({ multiValueQueryStringParameters }: APIGatewayProxyEvent): NamedValues {
  const parameters = Object.entries(multiValueQueryStringParameters ?? {});
  return {
    members: Object.fromEntries(parameters.map(([name, values]) => [name, values?.[0]])),
    repeated: parameters.filter(([, values]) => values?.length !== 1).map(([name]) => name),
  };
}
