import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Content, type Fields, readFields } from '../items/fields.ts';
import { type Body, pointer, readBody } from './body.ts';
import { Problem } from './problem.ts';

/**
 * What an operation takes from a request. Without `query`, every query parameter is refused.
 * Without `body`, the body is ignored.
 */
export interface InputSchema {
  path?: Fields;
  query?: Fields;
  body?: Fields;
}

export type InputOf<S extends InputSchema> = {
  [Section in keyof S]: S[Section] extends Fields ? Content<S[Section]> : undefined;
};

/**
 * Reads an event as an operation's input. Throws a problem that names every fault of the body, the
 * path and the query, and every member or parameter that is unknown.
 */
export function readInput<S extends InputSchema>(
  { path = {}, query = {}, body }: S,
  event: APIGatewayProxyEvent,
): InputOf<S> {
  const { members, faults }: Body = body ? readBody(event) : { faults: [] };
  function refuseMember(name: string, detail: string, place = ''): void {
    faults.push({ pointer: pointer(name) + place, detail });
  }
  function refuseParameter(parameter: string, detail: string): void {
    faults.push({ parameter, detail });
  }
  const input = {
    body: body && members && readFields(body, members, 'fromJson', refuseMember),
    path: readFields(path, pathOf(event), 'fromParameter', refuseParameter),
    query: readFields(query, queryOf(event), 'fromParameter', refuseParameter),
  };
  if (faults.length > 0) {
    throw new Problem('invalid-request', faults);
  }
  return input as InputOf<S>;
}

/**
 * Decodes the path parameters, because a REST API passes them on percent-encoded. `sam local`
 * decodes them itself: https://github.com/aws/aws-sam-cli/issues/771.
 */
const pathOf = (event: APIGatewayProxyEvent): Record<string, string> =>
  Object.fromEntries(
    Object.entries(event.pathParameters ?? {}).map(([name, value = '']) => [name, decode(value)]),
  );

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** One value stays a string. Several become a list, which only a kind for lists accepts. */
const queryOf = (event: APIGatewayProxyEvent): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(event.multiValueQueryStringParameters ?? {}).map(([name, values]) => [
      name,
      values?.length === 1 ? values[0] : values,
    ]),
  );
