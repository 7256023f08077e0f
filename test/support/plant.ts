import type { Content } from '../../functions/plants/plant.ts';

export type { Content };

/** Two values of each field. The first is its default, if it has one. */
const values: { [Field in keyof Content]: readonly [Content[Field], Content[Field]] } = {
  name: ['Aloe', 'Ficus'],
  tag: ['', 'sun'],
};
export const fieldNames = Object.keys(values) as (keyof Content)[];

const every = (index: 0 | 1) =>
  Object.fromEntries(
    fieldNames.map((field) => [field, values[field][index]]),
  ) as unknown as Content;

/** A plant of which every field is given, and no field has its default. */
export const whole: Content = every(1);

/** Returns what a plant is answered with, if fields that are left out have their defaults. */
export const answered = (given: Partial<Content> = {}): Content => ({ ...every(0), ...given });

/** Returns the body of a create, with the id in any spelling and nothing but the given fields. */
export const sent = (id: bigint | number | string, given: Partial<Content> = {}): string =>
  `{"id":${id},${JSON.stringify({ name: answered().name, ...given }).slice(1)}`;

/**
 * Returns a plant as it is stored, but for what marks the create that stored it. A number is a
 * bigint there.
 */
export const stored = <Id>(owner: string, id: Id, given?: Partial<Content>) => {
  const fields = Object.entries<unknown>(answered(given)).map(([field, value]) => [
    field,
    typeof value === 'number' ? BigInt(value) : value,
  ]);
  return { owner, id, ...Object.fromEntries(fields) };
};
