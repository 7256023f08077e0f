import { plantFunction } from './plants/function.ts';
import { listPlants, listPlantsInput } from './plants/list.ts';

export const { handler, prime } = plantFunction(listPlantsInput, listPlants, {});
