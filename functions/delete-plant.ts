import { itemFunction } from './items/function.ts';
import { deletePlant, deletePlantInput } from './plants/delete.ts';
import { plantKind } from './plants/plant.ts';

export const {
  handler,
  prime,
  prime: warmUp,
} = itemFunction(plantKind, deletePlantInput, deletePlant, (store) => store.remove('-', 0n));
