import { itemFunction } from './items/function.ts';
import { listPlants, listPlantsInput } from './plants/list.ts';
import { plantKind } from './plants/plant.ts';

export const {
  handler,
  prime,
  prime: warmUp,
} = itemFunction(plantKind, listPlantsInput, listPlants, (store) => store.list('-', 1, undefined));
