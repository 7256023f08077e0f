import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { type Body, pointer, readBody } from './body.ts';
import { type Fault, Problem, says } from './problem.ts';

type Section = v.GenericSchema & { entries: v.ObjectEntries };

/**
 * What an operation takes from a request. Without `query`, none is allowed. A body that is not
 * named is ignored.
 */
export type InputSchema = v.GenericSchema & {
  entries: { path?: Section; query?: Section; body?: Section };
};

/**
 * Reads an event as an operation's input. Throws a problem that names every fault of the body, the
 * path and the query, and every member or parameter that is unknown.
 */
export function readInput<S extends InputSchema>(
  schema: S,
  event: APIGatewayProxyEvent,
): v.InferOutput<S> {
  const { members, faults }: Body = schema.entries.body ? readBody(event) : { faults: [] };
  const sections = { path: pathOf(event), query: queryOf(event), body: members };
  for (const section of ['body', 'query'] as const)
    for (const name of Object.keys(sections[section] ?? {}))
      if (!Object.hasOwn(schema.entries[section]?.entries ?? {}, name))
        faults.push(fault(section, name, says.unknown));
  const result = v.safeParse(schema, sections);
  for (const issue of result.issues ?? []) {
    const [section, member] = issue.path?.map(({ key }) => String(key)) ?? [];
    if (member !== undefined)
      faults.push(fault(section, member, issue.type === 'object' ? says.missing : issue.message));
  }
  if (faults.length > 0 || !result.success) throw new Problem('invalid-request', faults);
  return result.output;
}

const fault = (section: string | undefined, name: string, detail: string): Fault =>
  section === 'body' ? { pointer: pointer(name), detail } : { parameter: name, detail };

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

/** One value stays a string. Several become a list, which every schema rejects. */
const queryOf = (event: APIGatewayProxyEvent): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(event.multiValueQueryStringParameters ?? {}).map(([name, values]) => [
      name,
      values?.length === 1 ? values[0] : values,
    ]),
  );
