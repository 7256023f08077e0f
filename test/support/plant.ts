import { marshall } from '@aws-sdk/util-dynamodb';
import type { Plant, PublicFields } from '../../functions/plants/plant.ts';
import { examplePlant } from '../../lib/openapi/example-plant.ts';

// Tests that need some plant take it from here, so that a new field is no change to them. Their
// plants differ in id and name. Tests of the fields have literals.

export const makeFields = (name = examplePlant.name): PublicFields => ({ ...examplePlant, name });

export const makePlant = (id: bigint, name?: string): Required<Plant> => ({
  id,
  ...makeFields(name),
});

/** Returns the body of a create. The id is JSON. */
export const makeBody = (id: bigint | number | string, name?: string): string =>
  `{"id":${id},${JSON.stringify(makeFields(name)).slice(1)}`;

/** Returns a stored plant as DynamoDB's own API has it. */
export const makeItem = (owner: string, id: bigint, name?: string) =>
  marshall({ owner, ...makePlant(id, name) });
