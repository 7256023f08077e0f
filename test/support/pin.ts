import type { Field } from '../../functions/items/fields.ts';

/** Returns a field as a pin writes it down: its kind with the bounds, and what it is left out. */
export const pinOf = ({ kind, isRequired, fallback }: Field<unknown>) => ({
  ...kind.schema(),
  isRequired,
  ...(fallback !== undefined && { fallback }),
});
