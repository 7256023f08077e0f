import * as v from 'valibot';
import {
  newPlant,
  type Plant,
  type PublicFields,
  publicFields,
} from '../../functions/plants/plant.ts';

/** Some fields of a plant. A field without a default has some value. */
type Fields = Partial<PublicFields>;

// A plant for tests that need some plant. Tests of its fields have literals.

/** Returns a plant with these fields, and the defaults of the others. */
export const makePlant = (id: bigint, fields: Fields = {}): Required<Plant> =>
  v.parse(newPlant, { name: 'Monstera', ...fields, id });

/** Returns the public fields of such a plant, as responses have them. */
export const makeFields = (fields: Fields = {}): PublicFields =>
  publicFields(makePlant(1n, fields));
