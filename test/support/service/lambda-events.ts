import type { APIGatewayProxyEvent } from 'aws-lambda';
import {
  type Operation,
  operationNames,
  operations,
} from '../../../functions/shared/operations.ts';
import { forge } from '../access-tokens/forge.ts';
import { fillPath, parametersOf } from '../fill-path.ts';
import { describedOperation } from '../openapi/description.ts';
import authorize from '../sam-events/authorize.json' with { type: 'json' };
import listPlants from '../sam-events/list-plants.json' with { type: 'json' };
import { multiValues } from './proxy-event.ts';

/** Returns the event of a function, made by `caller`: owner or token id. */
export function eventFor(entry: string, caller = 'caller'): object {
  const operation = operationNames.find((name) => operations[name].entry === entry);
  if (operation) {
    return eventOf(operation, caller);
  }
  return { ...authorize, authorizationToken: `Bearer ${tokenOf(caller)}` };
}

/**
 * Returns the event of an operation. It has the example of docs/openapi.json, and asks for ten
 * items. Its path names what the example of a create creates.
 */
export function eventOf(operation: Operation, caller = 'caller'): APIGatewayProxyEvent {
  const { method: httpMethod, path: template } = operations[operation];
  const { parameters = [], requestBody } = describedOperation(operation);
  const given = (name: string, value: string) =>
    parameters.some((parameter) => parameter.name === name) ? { [name]: value } : null;
  const pathParameters = parametersOf(template, '7') ?? null;
  const path = `/${fillPath(template, '7')}`;
  const headers = {
    ...listPlants.headers,
    ...(requestBody && { 'Content-Type': 'application/json' }),
  };
  const query = given('limit', '10');
  return {
    resource: `/${template}`,
    path,
    httpMethod,
    headers,
    multiValueHeaders: multiValues(Object.entries(headers)),
    queryStringParameters: query,
    multiValueQueryStringParameters: query && multiValues(Object.entries(query)),
    pathParameters,
    stageVariables: null,
    requestContext: {
      ...structuredClone(listPlants.requestContext),
      authorizer: { ...listPlants.requestContext.authorizer, owner: caller },
      httpMethod,
      path: `/v1${path}`,
      resourcePath: `/${template}`,
    },
    body: requestBody ? JSON.stringify(requestBody.content['application/json']?.example) : null,
    isBase64Encoded: false,
  };
}

/** Returns the statuses that an operation's function may answer: successes and own problems. */
export function answersOf(operation: Operation): number[] {
  const statuses = {
    createPlant: [201, 200, 409, 413, 415],
    listPlants: [200],
    deletePlant: [204, 404],
  };
  return statuses[operation];
}

/** Returns a well-formed access token whose id begins with the caller's name. */
export const tokenOf = (caller: string): string => forge(caller.padEnd(12, '0'), '0'.repeat(43));
