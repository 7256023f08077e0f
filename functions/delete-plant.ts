import { deletePlant, deletePlantInput } from './plants/delete.ts';
import { plantFunction } from './plants/function.ts';

export const { handler, prime } = plantFunction(deletePlantInput, deletePlant, {
  pathParameters: { id: '0' },
});
