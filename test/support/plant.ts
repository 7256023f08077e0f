import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { Field } from '../../functions/items/fields.ts';
import { type Content, fields, type Plant, plantKind } from '../../functions/plants/plant.ts';

// Everything here follows from the kinds of the fields. test/plants/pinned.ts says what a plant is.

export type { Content, Plant };
export const fieldNames = plantKind.fieldNames;

/** Returns two values of a field. The first is what it has if it is left out. */
function valuesOf({ kind, fallback }: Field<unknown>): [usual: unknown, other: unknown] {
  const { good } = kind.samples();
  const usual = fallback === undefined ? good[0] : fallback;
  return [usual, good.find((value) => usual === null || !kind.isSame(value, usual))];
}

const every = (index: 0 | 1) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, valuesOf(field)[index]]),
  ) as Content;

/** A plant of which every field is given, and no field has its default. */
export const whole: Content = every(1);

/** Returns what a plant is answered with, if fields that are left out have their defaults. */
export const answered = (given: Partial<Content> = {}): Content => ({ ...every(0), ...given });

/** The field by which tests tell plants apart: a text that has room for a few words. */
export const label = fieldNames.find((name) => {
  const { type, maxLength = 0 } = fields[name].kind.schema() as {
    type: string;
    maxLength?: number;
  };
  return type === 'string' && maxLength >= 30;
}) as 'name';

/** Returns a plant as functions handle it. */
export const plantOf = (id: bigint, given?: Partial<Content>): Plant => ({
  id,
  ...answered(given),
});

/** The fields that a create must give. */
export const requiredContent = Object.fromEntries(
  Object.entries(answered()).filter(([name]) => fields[name as keyof Content].isRequired),
) as Partial<Content>;

/** Returns the body of a create, with the id in any spelling and no more fields than it must. */
export function sent(id: bigint | number | string, given: Partial<Content> = {}): string {
  const others = JSON.stringify({ ...requiredContent, ...given }).slice(1, -1);
  return others === '' ? `{"id":${id}}` : `{"id":${id},${others}}`;
}

/** Returns the body of a create, with these fields and those that it must give. */
export const plantWith = (id: number, given: Partial<Content> = {}) => ({
  id,
  ...(requiredContent as Content),
  ...given,
});

/** Returns a plant as it is stored, but for what marks the create that stored it. */
export const stored = (owner: string, id: bigint | number, given?: Partial<Content>) => ({
  owner,
  ...asRead(plantKind.toStored(plantOf(BigInt(id), given))),
});

/** Returns attributes as they are read from the table: numbers are `NumberValue`. */
export const asRead = (attributes: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(attributes).map(withNumberAsText));

const withNumberAsText = ([name, value]: [string, unknown]) =>
  typeof value === 'bigint' || typeof value === 'number'
    ? [name, NumberValue.from(value)]
    : [name, value];
