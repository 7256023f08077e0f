import { isUtf8 } from 'node:buffer';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { maxBodyBytes } from '../shared/operations.ts';
import { type JsonObject, parseJsonObject } from './json.ts';
import { type Fault, Problem } from './problem.ts';

type ObjectSchema = v.GenericSchema & { entries: v.ObjectEntries };

/**
 * What an operation takes from a request. Without `query`, every query parameter is refused.
 * Without `body`, the body is ignored.
 */
export interface InputSchemas {
  body?: ObjectSchema;
  path?: ObjectSchema;
  query?: ObjectSchema;
}

export type Input<S extends InputSchemas> = {
  [Part in keyof S]: S[Part] extends ObjectSchema ? v.InferOutput<S[Part]> : undefined;
};

/** A part of a request, as its schema reads it. */
interface Part {
  content?: unknown;
  faults: Fault[];
}

const nothing = v.object({});

/**
 * Reads an event as an operation's input. Throws a problem that names every fault of the body, the
 * path and the query, and every member or parameter that is unknown.
 */
export function readInput<S extends InputSchemas>(
  schemas: S,
  event: APIGatewayProxyEvent,
): Input<S> {
  const body = schemas.body ? readBody(schemas.body, event) : { faults: [] };
  const path = readParameters(schemas.path ?? nothing, pathOf(event));
  const query = readParameters(schemas.query ?? nothing, queryOf(event));
  const faults = [...body.faults, ...path.faults, ...query.faults];
  if (faults.length > 0) {
    throw new Problem('invalid-request', faults);
  }
  return { body: body.content, path: path.content, query: query.content } as Input<S>;
}

/** Reads the body of a request. Throws the problems that stand alone: 415, then 413. */
function readBody(schema: ObjectSchema, event: APIGatewayProxyEvent): Part {
  requireJson(event);
  const text = typeof event.body === 'string' ? event.body : '';
  const bytes = Buffer.from(text, event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > maxBodyBytes) {
    throw new Problem('content-too-large');
  }
  const parsed = parseBody(bytes);
  if ('fault' in parsed) {
    return { faults: [{ pointer: '', detail: parsed.fault }] };
  }
  const { content, faults } = readMembers(schema, parsed.object);
  return {
    content,
    faults: faults.map(({ name, detail }) => ({ pointer: pointerTo(name), detail })),
  };
}

const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

function requireJson(event: APIGatewayProxyEvent): void {
  const types = headerValues(event, 'content-type');
  const encodings = headerValues(event, 'content-encoding');
  const faults: Fault[] = [];
  if (types.length !== 1 || !jsonType.test(`${types[0]}`)) {
    faults.push({ header: 'Content-Type', detail: 'must be application/json' });
  }
  if (encodings.length > 0) {
    faults.push({ header: 'Content-Encoding', detail: 'must not be sent' });
  }
  if (faults.length > 0) {
    throw new Problem('unsupported-media-type', faults);
  }
}

/** A client chooses the case of a header's name, and can send the same name in two cases. */
function headerValues({ multiValueHeaders }: APIGatewayProxyEvent, sought: string): unknown[] {
  return Object.entries(multiValueHeaders ?? {})
    .filter(([name]) => name.toLowerCase() === sought)
    .flatMap(([, values]) => values);
}

/** Returns the object in a body, or what is wrong with the whole of it. */
function parseBody(bytes: Buffer): { object: JsonObject } | { fault: string } {
  if (bytes.length === 0) {
    return { fault: 'must be a JSON object, but there is no body' };
  }
  if (!isUtf8(bytes)) {
    return { fault: 'is not well-formed UTF-8' };
  }
  const text = bytes.toString();
  if (text.startsWith('\uFEFF')) {
    return { fault: 'must not begin with a byte order mark' };
  }
  try {
    const object = parseJsonObject(text);
    return object ? { object } : { fault: 'must be a JSON object' };
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
    // V8 quotes 40 characters of the body at most, which only its sender gets to see. It may cut a
    // surrogate pair in two.
    return { fault: `is not well-formed JSON: ${error.message.toWellFormed()}` };
  }
}

/**
 * Returns a JSON pointer to a member of the top level. A lone surrogate in its name becomes U+FFFD,
 * because not every client could read it.
 */
function pointerTo(name: string): string {
  return `/${name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function readParameters(schema: ObjectSchema, given: Record<string, unknown>): Part {
  const { content, faults } = readNamed(schema, given);
  return { content, faults: faults.map(({ name, detail }) => ({ parameter: name, detail })) };
}

/** Named values, as their schema reads them. */
interface Named {
  content: unknown;
  faults: { name: string; detail: string }[];
}

/** Reads an object by a schema. Names every fault, and every member that is unknown or repeated. */
export function readMembers(schema: ObjectSchema, { members, repeated }: JsonObject): Named {
  const { content, faults } = readNamed(schema, members);
  const twice = repeated.map((name) => ({ name, detail: 'must occur only once' }));
  return { content, faults: [...twice, ...faults] };
}

function readNamed(schema: ObjectSchema, given: Record<string, unknown>): Named {
  // Valibot's strict objects name one unknown member only, and neither `__proto__` nor
  // `constructor`.
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(schema.entries, name));
  const { output: content, issues = [] } = v.safeParse(schema, given);
  const faults = [
    ...unknown.map((name) => ({ name, detail: 'is unknown' })),
    ...issues.map(({ path, message }) => ({ name: `${path?.[0]?.key}`, detail: message })),
  ];
  return { content, faults };
}

/**
 * Decodes the path parameters, because a REST API passes them on percent-encoded. `sam local`
 * decodes them itself: https://github.com/aws/aws-sam-cli/issues/771.
 */
function pathOf({ pathParameters }: APIGatewayProxyEvent): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(pathParameters ?? {}).map(([name, value]) => [name, decode(value)]),
  );
}

function decode(value: string | undefined): string | undefined {
  try {
    return value === undefined ? undefined : decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** One value stays a string. Several become a list, which every schema refuses. */
function queryOf({
  multiValueQueryStringParameters,
}: APIGatewayProxyEvent): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(multiValueQueryStringParameters ?? {}).map(([name, values]) => [
      name,
      values?.length === 1 ? values[0] : values,
    ]),
  );
}
