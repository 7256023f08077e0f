import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Operation } from '../../../functions/shared/operations.ts';
import createPlant from '../events/create-plant.json' with { type: 'json' };
import deletePlant from '../events/delete-plant.json' with { type: 'json' };
import listPlants from '../events/list-plants.json' with { type: 'json' };
import { type ProxyEventInput, proxyEvent } from './proxy-event.ts';

/** An event of each operation, about the plant with the id 7. SAM CLI uses them too. */
const events: Record<Operation, SavedEvent> = { createPlant, listPlants, deletePlant };

interface SavedEvent {
  requestContext: { path: string };
  pathParameters: Record<string, string> | null;
  body: string | null;
}

/** Returns the event of an operation. By default, it is about the plant with the id 7. */
export function operationEvent(
  operation: Operation,
  changes: ProxyEventInput = {},
): APIGatewayProxyEvent {
  const { body, pathParameters, requestContext } = events[operation];
  return proxyEvent({ path: requestContext.path, pathParameters, body, ...changes });
}
