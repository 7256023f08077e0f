import type { PublicFields } from '../../functions/plants/plant.ts';

// The plant in the output of programs, the pages and the API's description.

export const exampleId = 7;

export const examplePlant: PublicFields = { name: 'Monstera', tag: 'indoor' };
