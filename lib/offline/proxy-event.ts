import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { stageName } from '../../functions/shared/operations.ts';

interface Given {
  request: IncomingMessage;
  requestId: string;
  /** With the stage, as it came. */
  fullPath: string;
  /** Within the stage. */
  path: string;
  query: string;
  /** The operation's path, with the names of its parameters in braces. */
  resource: string;
  pathParameters: Record<string, string>;
  authorizer: Record<string, unknown>;
  body: Buffer;
}

/**
 * Returns the event with which API Gateway calls a function, with the members that functions use.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-input-format
 */
export function proxyEvent(given: Given): object {
  const { request, requestId, fullPath, path, query, resource, body } = given;
  const headers = headersOf(request);
  const parameters = parametersOf(query);
  return {
    resource,
    path,
    httpMethod: request.method,
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: parameters && lastValues(parameters),
    multiValueQueryStringParameters: parameters,
    // They are passed on percent-encoded.
    pathParameters: given.pathParameters,
    stageVariables: null,
    requestContext: {
      stage: stageName,
      path: fullPath,
      httpMethod: request.method,
      resourcePath: resource,
      requestId,
      extendedRequestId: requestId,
      authorizer: given.authorizer,
      identity: {
        sourceIp: request.socket.remoteAddress,
        userAgent: request.headers['user-agent'] ?? null,
      },
    },
    // Bytes that are not UTF-8 become U+FFFD, because the API has no binary media types.
    body: body.length > 0 ? body.toString() : null,
    isBase64Encoded: false,
  };
}

type Values = Record<string, string[]>;

/** Returns the headers under their names as the client wrote them. */
function headersOf({ rawHeaders }: IncomingMessage): Values {
  const values = new Map<string, string[]>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  // It accepts any name, even `__proto__`.
  return Object.fromEntries(values);
}

/** Returns the decoded parameters, or null if there are none. A semicolon separates them too. */
function parametersOf(query: string): Values | null {
  const parsed = Object.entries(parse(query.replaceAll(';', '&'), '&', '=', { maxKeys: 0 }));
  const parameters = parsed.map(([name, value = '']) => [name, [value].flat()]);
  return parameters.length > 0 ? Object.fromEntries(parameters) : null;
}

/** Returns the maps that have one value for each name. */
function lastValues(values: Values): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? '']));
}
