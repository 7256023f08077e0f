import type { APIGatewayProxyResult } from 'aws-lambda';
import {
  type Operation as ApiOperation,
  operations as api,
} from '../../../../functions/shared/operations.ts';
import { makeBody } from '../../../support/plant.ts';
import { operationEvent } from '../../../support/service/operation-event.ts';
import type { Run } from '../subject.ts';

/** The operations of the API by the first word of the calls. */
export const explored = {
  list: 'listPlants',
  create: 'createPlant',
  delete: 'deletePlant',
} as const satisfies Record<string, ApiOperation>;

type Handler = (event: object, context: object) => Promise<unknown>;

const functions = new URL('../../../../functions/', import.meta.url);

/** Loads the functions. */
export async function load(): Promise<Run> {
  const handlers = new Map<string, { name: ApiOperation; handler: Handler }>();
  for (const [kind, name] of Object.entries(explored)) {
    const { handler } = await import(new URL(`${api[name].entry}.ts`, functions).href);
    handlers.set(kind, { name, handler });
  }
  return async (operation) => {
    const [kind, plantName] = operation.split(' ');
    const called = handlers.get(`${kind}`);
    const changes = kind === 'create' ? { body: makeBody(7, plantName) } : {};
    const result = await called?.handler(operationEvent(called.name, changes), {});
    const { statusCode: status, body } = result as APIGatewayProxyResult;
    return { status, body };
  };
}
