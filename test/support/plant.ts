import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { Plant } from '../../functions/plants/plant.ts';

export type { Plant };
export type Content = Omit<Plant, 'id'>;

export const fieldNames = ['name', 'tag'] as const;

/** The field by which tests tell plants apart. */
export const label = 'name';

/** The fields that a create must give. */
export const requiredContent = { name: 'Aloe' };

/** A plant of which every field is given, and no field has its default. */
export const whole: Content = { name: 'Ficus', tag: 'sill' };

/** Returns what a plant is answered with, if fields that are left out have their defaults. */
export const answered = (given: Partial<Content> = {}): Content => ({
  name: 'Aloe',
  tag: '',
  ...given,
});

/** Returns a plant as functions handle it. */
export const plantOf = (id: bigint, given?: Partial<Content>): Plant => ({
  id,
  ...answered(given),
});

/** Returns the body of a create, with the id in any spelling and no more fields than it must. */
export const sent = (id: bigint | number | string, given: Partial<Content> = {}): string =>
  `{"id":${id},${JSON.stringify({ ...requiredContent, ...given }).slice(1)}`;

/** Returns the body of a create, with these fields and those that it must give. */
export const plantWith = (id: number, given: Partial<Content> = {}) => ({
  id,
  ...requiredContent,
  ...given,
});

/** Returns a plant as it is stored, but for what marks the create that stored it. */
export const stored = (owner: string, id: bigint | number, given?: Partial<Content>) => ({
  owner,
  id: NumberValue.from(id),
  ...answered(given),
});
