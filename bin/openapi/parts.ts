import { commonHeaders, requestIdHeader } from '../../functions/shared/headers.ts';

export type Json = Record<string, unknown>;

export const reference = (kind: string, name: string): Json => ({
  $ref: `#/components/${kind}/${name}`,
});

/** Returns an object with the same names. */
export const mapped = <T>(
  from: Record<string, T>,
  value: (one: T, name: string) => unknown,
): Json => Object.fromEntries(Object.entries(from).map(([name, one]) => [name, value(one, name)]));

/** The headers that every response has. */
export const everyHeader = [requestIdHeader, ...Object.keys(commonHeaders())];
export const everyResponse = Object.fromEntries(
  everyHeader.map((name) => [name, reference('headers', name)]),
);

/** Returns the content of a body in JSON. */
export const json = (schema: Json, example: unknown): { content: Json } => ({
  content: { 'application/json': { schema, example } },
});
