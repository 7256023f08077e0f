import * as v from 'valibot';
import type { Reply } from '../http/answer.ts';
import type { Caller } from '../http/operation.ts';
import { paging, readPage } from '../items/paging.ts';
import { plantKind } from './plant.ts';
import type { PlantStore } from './store.ts';

export const listPlantsInput = v.object({ query: v.object(paging) });

export const listPlants =
  ({ list }: Pick<PlantStore, 'list'>) =>
  async (
    { query }: v.InferOutput<typeof listPlantsInput>,
    { owner, requestPath, signal }: Caller,
  ): Promise<Reply> => {
    const { page, headers } = await readPage(query, requestPath, (limit, after) =>
      list(owner, limit, after, signal),
    );
    return { code: 'PLANTS_LISTED', status: 200, headers, body: page.map(plantKind.answerOf) };
  };
