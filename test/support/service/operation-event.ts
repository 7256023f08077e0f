import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Operation, operations } from '../../../functions/shared/operations.ts';
import { type ProxyEventInput, proxyEvent } from './proxy-event.ts';

interface SavedEvent {
  requestContext: { path: string };
  pathParameters: Record<string, string> | null;
  body: string | null;
}

/**
 * Returns the event of an operation, from the file of its function's name. By default, it is about
 * the plant with the id 7. SAM CLI uses the files too.
 */
export function operationEvent(
  operation: Operation,
  changes: ProxyEventInput = {},
): APIGatewayProxyEvent {
  const file = join(import.meta.dirname, '..', 'events', `${operations[operation].entry}.json`);
  const saved: SavedEvent = JSON.parse(readFileSync(file, 'utf8'));
  const { body, pathParameters, requestContext } = saved;
  return proxyEvent({ path: requestContext.path, pathParameters, body, ...changes });
}
