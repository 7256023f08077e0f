import type { APIGatewayProxyEvent } from 'aws-lambda';
import { parseJsonObject } from './json.ts';
import { type Fault, Problem } from './problem.ts';

const mostBytes = 16 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const json = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

export interface Body {
  members?: Record<string, unknown>;
  faults: Fault[];
}

/**
 * The members of the JSON object in a request's body, with the faults that only its text can show.
 * Header names are taken to be in lower case. Throws the problems that stand alone: 415, then 413.
 */
export function readBody(event: APIGatewayProxyEvent): Body {
  const types = event.multiValueHeaders['content-type'] ?? [];
  if (types.length !== 1 || !json.test(types[0] ?? '') || 'content-encoding' in event.multiValueHeaders)
    throw new Problem('unsupported-media-type');

  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > mostBytes) throw new Problem('content-too-large');

  const wholeBody = (detail: string): Body => ({ faults: [{ pointer: '', detail }] });
  if (bytes.length === 0) return wholeBody('must be a JSON object, but there is no body');
  try {
    const text = utf8.decode(bytes);
    if (text.startsWith('\uFEFF')) return wholeBody('must not begin with a byte order mark');
    const object = parseJsonObject(text);
    if (!object) return wholeBody('must be a JSON object');
    return { members: object.members, faults: object.repeated.map((name) => ({ pointer: pointer(name), detail: 'must occur only once' })) };
  } catch (error) {
    if (error instanceof SyntaxError) return wholeBody('is not well-formed JSON');
    if (error instanceof TypeError) return wholeBody('is not well-formed UTF-8');
    throw error;
  }
}

/** A JSON pointer (RFC 6901) to a member of the top level. */
export const pointer = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
