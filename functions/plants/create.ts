import * as v from 'valibot';
import type { Reply } from '../http/answer.ts';
import type { Caller } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { newPlant, plantKind } from './plant.ts';
import type { PlantStore } from './store.ts';

export const createPlantInput = v.object({ body: newPlant });

export const createPlant =
  ({ create }: Pick<PlantStore, 'create'>) =>
  async (
    { body: plant }: v.InferOutput<typeof createPlantInput>,
    { owner, requestPath, signal }: Caller,
  ): Promise<Reply> => {
    const creation = await create(owner, plant, signal);
    if (creation === 'conflict') throw new Problem('plant-exists');
    return {
      ...(creation === 'created'
        ? { code: 'PLANT_CREATED', status: 201 }
        : { code: 'PLANT_UNCHANGED', status: 200 }),
      headers: { Location: `${requestPath}/${plant.id}` },
      body: plantKind.answerOf(plant),
    };
  };
