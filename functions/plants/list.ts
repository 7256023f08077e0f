import type { Run } from '../http/operation.ts';
import { paging, readPage } from '../items/paging.ts';
import { type PlantStore, plantKind } from './plant.ts';

export const listPlantsInput = { query: paging };

export const listPlants =
  ({ list }: Pick<PlantStore, 'list'>): Run<typeof listPlantsInput> =>
  async ({ query }, { owner, requestPath, signal }) => {
    const { page, headers } = await readPage(
      listPlantsInput.query,
      query,
      requestPath,
      (limit, after) => list(owner, limit, after, signal),
      ({ id }) => id,
    );
    return { code: 'PLANTS_LISTED', status: 200, headers, body: page.map(plantKind.answerOf) };
  };
