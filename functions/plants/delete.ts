import * as v from 'valibot';
import type { Reply } from '../http/answer.ts';
import type { Caller } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { idInPath } from '../items/id-in-path.ts';
import type { PlantStore } from './store.ts';

export const deletePlantInput = v.object({ path: v.object({ id: idInPath }) });

export const deletePlant =
  ({ remove }: Pick<PlantStore, 'remove'>) =>
  async (
    { path }: v.InferOutput<typeof deletePlantInput>,
    { owner, signal }: Caller,
  ): Promise<Reply> => {
    if (!(await remove(owner, path.id, signal))) throw new Problem('plant-not-found');
    return { code: 'PLANT_DELETED', status: 204 };
  };
