import type { APIGatewayAuthorizerResult, APIGatewayProxyResult, Context } from 'aws-lambda';
import { authorizer, type Operation, operations } from '../../../functions/shared/operations.ts';
import { functionVariables, noTimeout } from '../../../lib/offline/functions.ts';
import type { HttpResponse } from '../http/http-client.ts';
import { differences, findPlaces } from '../openapi/description.ts';
import { lambdaContext, multiValues, proxyEvent, tokenEvent } from './proxy-event.ts';

/** A request to an operation. */
export interface Call {
  operation: Operation;
  owner: string;
  headers?: [name: string, value: string][];
  body?: Buffer;
  /** Whether the gateway passes the body on as base64. Otherwise it changes bytes that are not UTF-8. */
  isBase64?: boolean;
  query?: [name: string, value: string][];
  /** Path parameters as they stand in the path. */
  path?: Record<string, string>;
}

/** The functions, loaded into this process. */
export interface Functions {
  /** Lines that the functions logged. */
  log: string[];
  /**
   * Calls an operation as the gateway would. Throws if the response is not in docs/openapi.json, or
   * if it is a 5xx.
   */
  call(request: Call): Promise<HttpResponse>;
  /** Returns the authorizer's policy for the value of an `Authorization` header. */
  authorize(authorizationToken: string): Promise<APIGatewayAuthorizerResult>;
}

/** Loads the functions into this process, with a database. */
export async function loadFunctions(databaseEndpoint: string): Promise<Functions> {
  const log: string[] = [];
  for (const level of ['info', 'warn', 'error'] as const) {
    console[level] = (line: unknown) => log.push(JSON.stringify(line));
  }
  Object.assign(process.env, functionVariables(databaseEndpoint));
  const handlers = new Map<string, Handler>();
  for (const { entry } of [authorizer, ...Object.values(operations)]) {
    const { handler } = await import(`../../../functions/${entry}.ts`);
    handlers.set(entry, handler);
  }

  const run = (entry: string, event: unknown) =>
    handlers.get(entry)?.(event, lambdaContext(noTimeout));

  return {
    log,
    async call(request) {
      const { operation } = request;
      const result = await run(operations[operation].entry, makeEvent(request));
      const { statusCode: status, headers = {}, body } = result as APIGatewayProxyResult;
      const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
      const response = { status, headers: Object.fromEntries(named), body };
      const found = differences(operation, response);
      if (status >= 500) {
        found.push(`it is a 5xx: ${log.slice(-3)}`);
      }
      if (found.length > 0) {
        throw new Error(`The response is not in the contract: ${found.join('; ')}. ${body}`);
      }
      return response;
    },
    authorize: (authorizationToken) =>
      run(authorizer.entry, tokenEvent(authorizationToken)) as Promise<APIGatewayAuthorizerResult>,
  };
}

const makeEvent = ({ operation, owner, headers = [], query = [], body, isBase64, path }: Call) =>
  proxyEvent({
    path: `/v1${fillPath(operation, path)}`,
    authorizer: { owner },
    headers: multiValues(headers),
    query: query.length > 0 ? multiValues(query) : undefined,
    pathParameters: path,
    body: body?.toString(isBase64 ? 'base64' : 'utf8'),
    isBase64Encoded: isBase64,
  });

/** Returns the path of an operation with its parameters. */
const fillPath = (operation: Operation, given: Record<string, string> = {}): string =>
  `/${operations[operation].path.replaceAll(/\{(\w+)\}/g, (_, name) => `${given[name]}`)}`;

export const parsePlants = ({ body }: HttpResponse) =>
  JSON.parse(body) as { name: string; tag: string }[];

/** Returns a refusal as the second opinion writes it. */
export const parseRefusal = ({ status, body }: HttpResponse) => ({
  status,
  places: findPlaces(body),
});

type Handler = (event: unknown, context: Context) => Promise<unknown>;
