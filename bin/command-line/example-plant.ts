import type { PublicFields } from '../../functions/plants/plant.ts';

// The plant that programs, pages and the API's description show.

export const exampleId = 7;

export const examplePlant: PublicFields = { name: 'Monstera', tag: 'indoor' };
