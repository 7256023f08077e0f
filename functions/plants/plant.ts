import * as v from 'valibot';
import { id, kindOf, text } from '../items/item.ts';
import type { ItemStore } from '../items/store.ts';

/** The fields of a plant beside its id. What is accepted, stored, listed and described follows. */
export const fields = {
  name: text(1, 200),
  tag: v.optional(text(0, 100), ''),
};

export const plantKind = kindOf('plant', 'plants', fields);
export const newPlant = v.object({ id, ...fields });
export type Plant = v.InferOutput<typeof newPlant>;
export type Content = Omit<Plant, 'id'>;
export type PlantStore = ItemStore<Plant>;
