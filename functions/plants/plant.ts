import { type Content as ContentOf, optional, required } from '../items/fields.ts';
import { type Item, type ItemFields, id, kindOf } from '../items/item.ts';
import { text } from '../items/kinds.ts';
import type { ItemStore } from '../items/store.ts';

/** The fields of a plant beside its id. What is accepted, stored, listed and described follows. */
export const fields = {
  name: required(text(1, 200)),
  tag: optional(text(0, 100), ''),
} satisfies ItemFields;

export const plantKind = kindOf('plant', 'plants', fields);
export const newPlant = { id, ...fields };
export type Content = ContentOf<typeof fields>;
export type Plant = Item<typeof fields>;
export type PlantStore = ItemStore<Plant>;
