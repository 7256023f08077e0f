import type { Refuse, ValueKind } from './kinds.ts';

/** A member of a body, or a parameter of a path or a query. */
export interface Field<T> {
  kind: ValueKind<T>;
  /** Whether a request must give it. */
  isRequired: boolean;
  /** What a request means that leaves it out, and what an item has that was stored without it. */
  fallback: T;
}

// biome-ignore lint/suspicious/noExplicitAny: a kind both takes and returns its values.
export type Fields = Record<string, Field<any>>;
export type Content<F extends Fields> = { [Name in keyof F]: F[Name]['fallback'] };

/** What a field of an item can hold: what JSON and the table can. An int64 is not among it. */
export type Value = string | number | boolean | null | Value[];

/** A field that a request may leave out. */
export const optional = <T>(kind: ValueKind<T>, fallback: T): Field<T> => ({
  kind,
  isRequired: false,
  fallback,
});

/**
 * A field that a request must give. If a later version of the API adds one, `older` is what items
 * have that were stored before. Without it, every item must have the field.
 */
export const required = <T>(kind: ValueKind<T>, older?: T): Field<T> => ({
  kind,
  isRequired: true,
  fallback: older as T,
});

/** A parameter that asks for nothing if it is left out. */
export const parameter = <T>(kind: ValueKind<T>): Field<T | undefined> =>
  optional<T | undefined>(kind as ValueKind<T | undefined>, undefined);

/** A field that a request may leave out, or give as null. It is null then. */
export function orNull<T extends Value>(kind: ValueKind<T>): Field<T | null> {
  const nullable: ValueKind<T | null> = {
    ...(kind as ValueKind<T | null>),
    fromJson: (given, refuse) => (given === null ? null : kind.fromJson(given, refuse)),
    toStored: (value) => (value === null ? null : kind.toStored(value)),
    isSame: (one, other) =>
      one === null || other === null ? one === other : kind.isSame(one, other),
    schema() {
      const { type, ...rest } = kind.schema();
      return { type: [type, 'null'], ...rest };
    },
  };
  return optional<T | null>(nullable, null);
}

/** What is said of a member or parameter, beside what its kind says. */
export const says = { once: 'must occur only once', unknown: 'is unknown', missing: 'is required' };

/**
 * Reads what a request gives as fields. Calls `refuse` with each fault: of every name that is
 * unknown, then of every field.
 */
export function readFields<F extends Fields>(
  fields: F,
  given: Record<string, unknown>,
  form: 'fromJson' | 'fromParameter',
  refuse: (name: string, ...fault: Parameters<Refuse>) => void,
): Content<F> {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(fields, name)) {
      refuse(name, says.unknown);
    }
  }
  const content: Record<string, unknown> = {};
  for (const [name, { kind, isRequired, fallback }] of Object.entries(fields)) {
    if (Object.hasOwn(given, name)) {
      content[name] = kind[form](given[name], (...fault) => {
        refuse(name, ...fault);
        return undefined;
      });
    } else {
      if (isRequired) {
        refuse(name, says.missing);
      }
      content[name] = fallback;
    }
  }
  return content as Content<F>;
}
