import { itemFunction } from './items/function.ts';
import { createPlant, createPlantInput } from './plants/create.ts';
import { plantKind } from './plants/plant.ts';

export const {
  handler,
  prime,
  prime: warmUp,
} = itemFunction(plantKind, createPlantInput, createPlant, (store, plant) =>
  store.create('-', plant),
);
