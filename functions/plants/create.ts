import type { Run } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { newPlant, type PlantStore, plantKind } from './plant.ts';

export const createPlantInput = { body: newPlant };

export const createPlant =
  ({ create }: Pick<PlantStore, 'create'>): Run<typeof createPlantInput> =>
  async ({ body: plant }, { owner, requestPath, signal }) => {
    const creation = await create(owner, plant, signal);
    if (creation === 'conflict') {
      throw new Problem('plant-exists');
    }
    return {
      ...(creation === 'created'
        ? { code: 'PLANT_CREATED', status: 201 }
        : { code: 'PLANT_UNCHANGED', status: 200 }),
      headers: { Location: `${requestPath}/${plant.id}` },
      body: plantKind.answerOf(plant),
    };
  };
