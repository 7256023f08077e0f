import type { Content } from '../../functions/plants/plant.ts';

export type { Content };

/** Returns what a plant is answered with, if fields that are left out have their defaults. */
export const answered = (given: Partial<Content> = {}): Content => ({
  name: 'Aloe',
  tag: '',
  ...given,
});

/** Returns the body of a create, with the id in any spelling and nothing but the given fields. */
export const sent = (id: bigint | number | string, given: Partial<Content> = {}): string =>
  `{"id":${id},${JSON.stringify({ name: answered().name, ...given }).slice(1)}`;

/** Returns a plant as it is stored, but for what marks the create that stored it. */
export const stored = <Id>(owner: string, id: Id, given?: Partial<Content>) => ({
  owner,
  id,
  ...answered(given),
});
