import type { Run } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { id } from '../items/item.ts';
import type { PlantStore } from './plant.ts';

export const deletePlantInput = { path: { id } };

export const deletePlant =
  ({ remove }: Pick<PlantStore, 'remove'>): Run<typeof deletePlantInput> =>
  async ({ path }, { owner, signal }) => {
    if (!(await remove(owner, path.id, signal))) {
      throw new Problem('plant-not-found');
    }
    return { code: 'PLANT_DELETED', status: 204 };
  };
