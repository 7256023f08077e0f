import type { APIGatewayProxyResult } from 'aws-lambda';
import {
  type Operation as ApiOperation,
  operations as api,
} from '../../../../functions/shared/operations.ts';
import { makeBody } from '../../../support/plant.ts';
import { proxyEvent } from '../../../support/service/proxy-event.ts';
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
  const handlers = new Map<string, Handler>();
  for (const [kind, name] of Object.entries(explored)) {
    const { handler } = await import(new URL(`${api[name].entry}.ts`, functions).href);
    handlers.set(kind, handler);
  }
  return async (operation) => {
    const [kind, name] = operation.split(' ');
    const requests: Record<string, Parameters<typeof proxyEvent>[0]> = {
      create: { body: makeBody(7, name) },
      delete: { pathParameters: { id: '7' } },
    };
    const result = await handlers.get(`${kind}`)?.(proxyEvent(requests[`${kind}`]), {});
    const { statusCode: status, body } = result as APIGatewayProxyResult;
    return { status, body };
  };
}
