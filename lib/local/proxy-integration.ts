import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { APIGatewayEventRequestContext, APIGatewayProxyEvent } from 'aws-lambda';
import type { HttpResponse } from './gateway-responses.ts';

/** A request as the gateway has read and routed it. */
export interface GatewayRequest {
  httpMethod: string;
  /** Within the stage, percent-encoded as it came. */
  path: string;
  /** Names and values in the order and the case they came in. */
  headers: [string, string][];
  query: [string, string][];
  body: Buffer;
  /** The resource's path, its parameters in braces. */
  resource: string;
  pathParameters: Record<string, string>;
  stageVariables: Record<string, string> | undefined;
  requestContext: APIGatewayEventRequestContext;
}

/**
 * What does not reach a Lambda function.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
 */
const droppedFromRequest = new Set(
  [
    ['Connection', 'Content-Length', 'Content-MD5', 'Expect', 'Max-Forwards', 'Proxy-Authenticate', 'Server', 'TE', 'Trailer'],
    ['Transfer-Encoding', 'Upgrade', 'WWW-Authenticate', 'X-HTTP-Method-Override'],
  ]
    .flat()
    .map((name) => name.toLowerCase()),
);

/** What of a function's response does not reach the client, or only under the name `X-Amzn-Remapped-…`. Same page. */
const droppedFromResponse = new Set([
  'content-length',
  'expect',
  'host',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);
const remappedInResponse = new Set(
  ['Authorization', 'Connection', 'Content-MD5', 'Date', 'Max-Forwards', 'Server', 'User-Agent', 'WWW-Authenticate'].map((n) =>
    n.toLowerCase(),
  ),
);

/**
 * The event of a Lambda proxy integration. Of a header or query parameter that is there several times the single-value map has the last; the
 * query is decoded, the path and its parameters are not.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-input-format
 */
export function proxyEvent(request: GatewayRequest, binaryMediaTypes: string[]): APIGatewayProxyEvent {
  const { httpMethod, path, resource, query, body, pathParameters, stageVariables, requestContext } = request;
  const headers = request.headers.filter(([name]) => !droppedFromRequest.has(name.toLowerCase()));
  const contentType = headers.findLast(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const isBase64Encoded = body.length > 0 && isBinary(contentType, binaryMediaTypes);
  return {
    resource,
    path,
    httpMethod,
    headers: Object.fromEntries(headers),
    multiValueHeaders: multiValues(headers),
    queryStringParameters: query.length > 0 ? Object.fromEntries(query) : null,
    multiValueQueryStringParameters: query.length > 0 ? multiValues(query) : null,
    pathParameters: Object.keys(pathParameters).length > 0 ? pathParameters : null,
    stageVariables: stageVariables ?? null,
    requestContext,
    // Bytes that are no UTF-8 become U+FFFD, unless the media type is declared binary.
    body: body.length > 0 ? body.toString(isBase64Encoded ? 'base64' : 'utf8') : null,
    isBase64Encoded,
  };
}

/** Any name is a name here, `__proto__` too. */
function multiValues(pairs: [string, string][]): Record<string, string[]> {
  const groups = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries([...groups].map(([name, group]) => [name, group.map(([, value]) => value)]));
}

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-payload-encodings-workflow.html */
function isBinary(mediaType: string | undefined, binaryMediaTypes: string[]): boolean {
  const [first = ''] = (mediaType ?? '').split(/[;,]/);
  const [type] = first.trim().toLowerCase().split('/');
  return binaryMediaTypes.some(
    (binary) => binary === '*/*' || binary === `${type}/*` || binary.toLowerCase() === first.trim().toLowerCase(),
  );
}

/**
 * The HTTP response that a function's result asks for; undefined where the result is malformed.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-output-format
 */
export function proxyResponse(payload: string, accept: string | undefined, binaryMediaTypes: string[]): HttpResponse | undefined {
  const result: unknown = JSON.parse(payload);
  if (!isRecord(result)) return undefined;
  const { statusCode = 200, headers, multiValueHeaders, body, isBase64Encoded = false, ...more } = result;
  const status = Number(statusCode);
  if (Object.keys(more).length > 0 || !/^[2-5]\d\d$/.test(String(statusCode)) || typeof isBase64Encoded !== 'boolean') return undefined;
  if (!isNothing(body) && typeof body !== 'string') return undefined;

  const values = headerValues(headers, multiValueHeaders);
  if (!values) return undefined;
  const sent: Record<string, string[]> = {};
  for (const [name, list] of values) {
    if (!droppedFromResponse.has(name.toLowerCase()))
      sent[remappedInResponse.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name] = list;
  }
  if (!Object.keys(sent).some((name) => name.toLowerCase() === 'content-type')) sent['Content-Type'] = ['application/json'];
  const decode = isBase64Encoded && isBinary(accept, binaryMediaTypes);
  return { statusCode: status, headers: sent, body: Buffer.from(body ?? '', decode ? 'base64' : 'utf8') };
}

/** Merges the two maps, a list for each name; what both of them say is there once. Undefined where one of them is malformed. */
function headerValues(headers: unknown, multiValueHeaders: unknown): Map<string, string[]> | undefined {
  const single = isNothing(headers) ? {} : headers;
  const multi = isNothing(multiValueHeaders) ? {} : multiValueHeaders;
  if (!isRecord(single) || !isRecord(multi) || !Object.values(multi).every(Array.isArray)) return undefined;
  const merged = new Map<string, string[]>();
  const listOf = (name: string) => [...merged].find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1];
  const add = (name: string, value: unknown, evenAgain: boolean) => {
    const text = String(value);
    validateHeaderName(name);
    validateHeaderValue(name, text);
    if (typeof value !== 'string' && typeof value !== 'boolean') throw new Error(`${name}: a header's value is a string or a boolean.`);
    const list = listOf(name);
    if (!list) merged.set(name, [text]);
    else if (evenAgain || !list.includes(text)) list.push(text);
  };
  try {
    for (const [name, list] of Object.entries(multi)) for (const value of list as unknown[]) add(name, value, true);
    for (const [name, value] of Object.entries(single)) add(name, value, false);
  } catch {
    return undefined;
  }
  return merged;
}

const isNothing = (value: unknown): value is null | undefined => value === null || value === undefined;
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
