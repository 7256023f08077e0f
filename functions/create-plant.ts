import { connect, requireVariable } from './dynamodb/client.ts';
import { warmUpClient } from './dynamodb/warm-up.ts';
import { operation } from './http/operation.ts';
import { Problem } from './http/problem.ts';
import { newPlant, publicFields } from './plants/plant.ts';
import { plantStore } from './plants/store.ts';
import { tableVariable } from './shared/environment-variables.ts';

const database = connect();
const plants = plantStore(database, requireVariable(tableVariable('plants')));

/** `POST /plants`: 201, or 200 if the same plant already exists. */
export const handler = operation({ body: newPlant }, async ({ body: plant }, context) => {
  const { owner, requestPath, abortSignal } = context;
  const creation = await plants.create(owner, plant, { abortSignal });
  if (creation === 'conflict') {
    throw new Problem('plant-exists');
  }
  const isNew = creation === 'created';
  return {
    code: isNew ? 'PLANT_CREATED' : 'PLANT_UNCHANGED',
    status: isNew ? 201 : 200,
    headers: { Location: `${requestPath}/${plant.id}` },
    body: publicFields(plant),
  };
});

export const warmUp = (): Promise<unknown> =>
  warmUpClient(database, {}, () => plants.create('-', { id: 0n, name: '-', tag: '' }));
