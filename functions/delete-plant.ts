import { connect, requireVariable } from './dynamodb/client.ts';
import { warmUpClient } from './dynamodb/warm-up.ts';
import { operation } from './http/operation.ts';
import { Problem } from './http/problem.ts';
import { plantPath } from './plants/plant.ts';
import { plantStore } from './plants/store.ts';
import { tableVariable } from './shared/environment-variables.ts';

const database = connect();
const plants = plantStore(database, requireVariable(tableVariable('plants')));

/** `DELETE /plants/{id}`: 204. */
export const handler = operation({ path: plantPath }, async ({ path }, context) => {
  const { owner, abortSignal } = context;
  const wasThere = await plants.remove(owner, path.id, { abortSignal });
  if (!wasThere) {
    throw new Problem('plant-not-found');
  }
  return { code: 'PLANT_DELETED', status: 204 };
});

export const warmUp = (): Promise<unknown> =>
  warmUpClient(database, { Attributes: { id: { N: '0' } } }, () => plants.remove('-', 0n));
