import type { APIGatewayProxyEvent } from 'aws-lambda';
import { descriptions } from '../../../bin/openapi/descriptions.ts';
import type { InputSchema } from '../../../functions/http/input.ts';
import {
  type Operation,
  operationNames,
  operations,
} from '../../../functions/shared/operations.ts';
import { problems } from '../../../functions/shared/problems.ts';
import type { Entry } from '../../../lib/bundle.ts';
import { forge } from '../access-tokens/forge.ts';
import { describedOperation } from '../openapi/description.ts';
import authorize from '../sam-events/authorize.json' with { type: 'json' };
import listPlants from '../sam-events/list-plants.json' with { type: 'json' };
import { multiValues } from './proxy-event.ts';

/** Returns the event of a function, made by `caller`: owner or token id. */
export function eventFor(entry: Entry, caller = 'caller'): object {
  const operation = operationNames.find((name) => operations[name].entry === entry);
  if (operation) {
    return eventOf(operation, caller);
  }
  return { ...authorize, authorizationToken: `Bearer ${tokenOf(caller)}` };
}

/**
 * Returns the event of an operation. It has the example of docs/openapi.json, and asks for ten
 * items. Each parameter of its path names what the example of a create creates.
 */
export function eventOf(operation: Operation, caller = 'caller'): APIGatewayProxyEvent {
  const { method: httpMethod, path: template } = operations[operation];
  const { parameters = [], requestBody } = describedOperation(operation);
  const given = (name: string, value: string) =>
    parameters.some((parameter) => parameter.name === name) ? { [name]: value } : null;
  const pathParameters = sampleParameters(operation);
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name) => `${pathParameters?.[name]}`);
  const path = `/${filled}`;
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

/**
 * Returns a value for each parameter of an operation's path, or null if it has none: what the
 * example of the create has under the path before it, or a good value of its kind.
 */
function sampleParameters(operation: Operation): Record<string, string> | null {
  const { path: fields }: InputSchema = descriptions[operation].input;
  if (!fields) {
    return null;
  }
  return Object.fromEntries(
    Object.entries(fields).map(([name, { kind }]) => {
      const [collection] = operations[operation].path.split(`/{${name}}`);
      const example = exampleOfCreate(`${collection}`)?.[name];
      const [first] = kind.samples().good;
      return [name, example === undefined ? `${kind.toParameter(first)}` : `${example}`];
    }),
  );
}

/** Returns the example of the body with which an item is created under a path. */
function exampleOfCreate(path: string): Record<string, unknown> | undefined {
  const create = operationNames.find(
    (name) => operations[name].method === 'POST' && operations[name].path === path,
  );
  const content = create && describedOperation(create).requestBody?.content['application/json'];
  return content?.example as Record<string, unknown> | undefined;
}

/** Returns the statuses that an operation's function may answer: successes and own problems. */
export function answersOf(operation: Operation): number[] {
  const own = descriptions[operation].problems.map((code) => problems[code].status);
  return [...Object.keys(operations[operation].successes).map(Number), ...own];
}

/** Returns a well-formed access token whose id begins with the caller's name. */
export const tokenOf = (caller: string): string => forge(caller.padEnd(12, '0'), '0'.repeat(43));
