import { isUtf8 } from 'node:buffer';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { says } from '../items/fields.ts';
import { maxBodyBytes } from '../shared/operations.ts';
import { parseJsonObject } from './json.ts';
import { findJsonFault } from './json-fault.ts';
import { type Fault, Problem } from './problem.ts';

const json = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

export interface Body {
  /** Undefined if the body is not a JSON object. */
  members?: Record<string, unknown>;
  faults: Fault[];
}

/**
 * Reads the JSON object in a request's body, with the faults that only its text can show. Throws
 * the problems that stand alone: 415, then 413.
 */
export function readBody(event: APIGatewayProxyEvent): Body {
  // An event that no gateway made may lack what its type promises.
  requireJson(event.multiValueHeaders || {});
  const body = typeof event.body === 'string' ? event.body : '';
  const bytes = Buffer.from(body, event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > maxBodyBytes) {
    throw new Problem('content-too-large');
  }

  const wholeBody = (detail: string): Body => ({ faults: [{ pointer: '', detail }] });
  if (bytes.length === 0) {
    return wholeBody('must be a JSON object, but there is no body');
  }
  if (!isUtf8(bytes)) {
    return wholeBody('is not well-formed UTF-8');
  }
  const text = bytes.toString();
  if (text.startsWith('\uFEFF')) {
    return wholeBody('must not begin with a byte order mark');
  }
  try {
    const object = parseJsonObject(text);
    if (!object) {
      return wholeBody('must be a JSON object');
    }
    const { members, repeated } = object;
    const detail = says.once;
    return { members, faults: repeated.map((name) => ({ pointer: pointer(name), detail })) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
    const { line, column } = findJsonFault(text);
    return wholeBody(`is not well-formed JSON at line ${line}, column ${column}`);
  }
}

function requireJson(headers: APIGatewayProxyEvent['multiValueHeaders']): void {
  // A client chooses the case of a name, and can send the same name in two cases.
  const valuesOf = (name: string) =>
    Object.entries(headers).flatMap(([key, values]) =>
      key.toLowerCase() === name ? (values ?? '') : [],
    );
  const types = valuesOf('content-type');
  const faults: Fault[] = [];
  if (types.length !== 1 || !json.test(types[0] ?? '')) {
    faults.push({ header: 'Content-Type', detail: 'must be application/json' });
  }
  if (valuesOf('content-encoding').length > 0) {
    faults.push({ header: 'Content-Encoding', detail: 'must not be sent' });
  }
  if (faults.length > 0) {
    throw new Problem('unsupported-media-type', faults);
  }
}

/**
 * Returns a JSON pointer (RFC 6901) to a member of the top level. A lone surrogate in its name
 * becomes U+FFFD, because not every client could read it.
 */
export const pointer = (name: string): string =>
  `/${name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`;
