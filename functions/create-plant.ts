import * as v from 'valibot';
import { createPlant, createPlantInput } from './plants/create.ts';
import { plantFunction } from './plants/function.ts';
import { newPlant } from './plants/plant.ts';

export const { handler, prime } = plantFunction(createPlantInput, createPlant, (plants) =>
  plants.create('-', v.parse(newPlant, { id: 0n, name: '-' })),
);
