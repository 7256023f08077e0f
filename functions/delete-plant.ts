import { deletePlant, deletePlantInput } from './plants/delete.ts';
import { plantFunction } from './plants/function.ts';

export const { handler, prime } = plantFunction(deletePlantInput, deletePlant, (plants) =>
  plants.remove('-', 0n),
);
