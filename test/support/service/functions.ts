import type { APIGatewayProxyResult } from 'aws-lambda';
import { functionVariables } from '../../../lib/local/runtime/functions.ts';
import { openDatabase } from '../database/engine.ts';
import type { HttpResponse } from '../http/http-client.ts';
import { differences } from '../openapi/description.ts';
import { lambdaContext, proxyEvent } from './proxy-event.ts';

export const { endpoint, database } = await openDatabase();
/** Lines that the functions logged. */
export const log: unknown[] = [];
for (const level of ['info', 'error'] as const) {
  console[level] = (line: unknown) => log.push(line);
}
Object.assign(process.env, functionVariables(endpoint));
const createPlant = await import('../../../functions/create-plant.ts');
const listPlants = await import('../../../functions/list-plants.ts');
const handlers = { createPlant: createPlant.handler, listPlants: listPlants.handler };

interface OperationCall {
  operation: keyof typeof handlers;
  owner: string;
  body?: Buffer;
  /**
   * Whether the gateway passes the body on as base64. Otherwise it changes bytes that are not
   * UTF-8.
   */
  isBase64?: boolean;
}

/** Calls an operation. Throws if the response is not in docs/openapi.json, or if it is a 5xx. */
export async function call({
  operation,
  owner,
  body,
  isBase64,
}: OperationCall): Promise<HttpResponse> {
  const event = proxyEvent({
    authorizer: { owner },
    body: body?.toString(isBase64 ? 'base64' : 'utf8'),
    isBase64Encoded: isBase64,
  });
  const result: unknown = await handlers[operation](event, lambdaContext());
  const { statusCode: status, headers = {}, body: text } = result as APIGatewayProxyResult;
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const response = { status, headers: Object.fromEntries(named), body: text };
  const found = differences(operation, response);
  if (status >= 500) {
    found.push(`it is a 5xx: ${JSON.stringify(log.slice(-3))}`);
  }
  if (found.length > 0) {
    throw new Error(`The response is not in the contract: ${found.join('; ')}. ${text}`);
  }
  return response;
}
