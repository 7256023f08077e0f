import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { stageName } from '../../../functions/shared/operations.ts';

interface ProxyEventInput {
  request: IncomingMessage;
  requestId: string;
  /** The path with the stage, as in `requestContext.path`. */
  fullPath: string;
  /** The path within the stage. */
  path: string;
  query: string;
  /** The operation's path, with parameter names in braces. */
  resource: string;
  pathParameters: [name: string, value: string][];
  authorizer: Record<string, unknown>;
  body: Buffer;
}

/**
 * Returns the event of API Gateway's proxy integration. Members about the account and the API are
 * missing.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-input-format
 */
export function proxyEvent(input: ProxyEventInput): object {
  const { request, requestId, fullPath, path, query, resource, pathParameters, body } = input;
  const headers = readHeaders(request);
  const parameters = parseParameters(query);
  return {
    resource,
    path,
    httpMethod: request.method,
    headers: pickLastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: parameters && pickLastValues(parameters),
    multiValueQueryStringParameters: parameters,
    // A REST API passes path parameters on percent-encoded.
    pathParameters: pathParameters.length > 0 ? Object.fromEntries(pathParameters) : null,
    stageVariables: null,
    requestContext: {
      stage: stageName,
      path: fullPath,
      httpMethod: request.method,
      resourcePath: resource,
      requestId,
      extendedRequestId: requestId,
      authorizer: input.authorizer,
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

/** Headers that API Gateway does not pass on to functions. */
const droppedHeaders = new Set([
  'connection',
  'content-length',
  'content-md5',
  'expect',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
]);

/** Returns the headers for functions, with names as the client wrote them. */
function readHeaders({ rawHeaders }: IncomingMessage): Values {
  const values = new Map<string, string[]>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    if (!droppedHeaders.has(name.toLowerCase())) {
      values.set(name, [...(values.get(name) ?? []), value]);
    }
  }
  // Unlike an assignment, `fromEntries` accepts any name, even `__proto__`.
  return Object.fromEntries(values);
}

/** Returns the decoded parameters, or null if there are none. Semicolons separate them too. */
function parseParameters(query: string): Values | null {
  const parsed = Object.entries(parse(query.replaceAll(';', '&'), '&', '=', { maxKeys: 0 }));
  const parameters = parsed.map(([name, value = '']) => [name, [value].flat()]);
  return parameters.length > 0 ? Object.fromEntries(parameters) : null;
}

function pickLastValues(values: Values): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? '']));
}
