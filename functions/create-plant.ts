import { createPlant, createPlantInput } from './plants/create.ts';
import { plantFunction } from './plants/function.ts';

export const { handler, prime } = plantFunction(createPlantInput, createPlant, {
  multiValueHeaders: { 'Content-Type': ['application/json'] },
  body: '{"id": 0, "name": "-"}',
});
