import * as v from 'valibot';
import type { Reply } from '../http/answer.ts';
import type { Caller } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { plantIdInPath } from './plant.ts';
import type { PlantStore } from './store.ts';

export const deletePlantInput = v.object({ path: v.object({ id: plantIdInPath }) });

export const deletePlant =
  (plants: PlantStore) =>
  async (
    { path }: v.InferOutput<typeof deletePlantInput>,
    { owner, signal }: Caller,
  ): Promise<Reply> => {
    if (!(await plants.remove(owner, path.id, signal))) throw new Problem('plant-not-found');
    return { code: 'PLANT_DELETED', status: 204 };
  };
