import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Failure } from './functions-thread.ts';

/** A response to a client. */
export interface ApiResponse {
  status: number;
  headers: [name: string, value: string][];
  body: string;
  /** The error, if a function failed. */
  failure?: Failure | undefined;
}

const resultMembers = ['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded'];

/**
 * Returns the response that a function's result (JSON) describes to API Gateway's proxy integration.
 * Throws if API Gateway rejects the result. A body in base64 is sent as it is, because the API has
 * no binary media types.
 */
export function toResponse(payload = 'null'): ApiResponse {
  const result: unknown = JSON.parse(payload);
  if (typeof result !== 'object' || result === null || Array.isArray(result)) {
    throw new Error(`The function returned no object: ${payload}`);
  }
  const unknown = Object.keys(result).filter((name) => !resultMembers.includes(name));
  if (unknown.length > 0) {
    throw new Error(`API Gateway rejects a result with the member ${unknown.join(', ')}.`);
  }
  const { statusCode, body = '', ...maps } = result as Partial<APIGatewayProxyResult>;
  if (statusCode === undefined) {
    throw new Error('The result has no statusCode. API Gateway would send an empty 200.');
  }
  if (!/^[2-5]\d\d$/.test(`${statusCode}`) || typeof body !== 'string') {
    throw new Error(`API Gateway rejects this statusCode or body: ${payload}`);
  }
  const headers = mergeHeaders(maps);
  if (!headers.some(([name]) => name.toLowerCase() === 'content-type')) {
    headers.push(['Content-Type', 'application/json']);
  }
  return { status: Number(statusCode), headers, body };
}

/** Returns the headers of both maps. A name in both maps has all values. */
function mergeHeaders({
  headers,
  multiValueHeaders,
}: Partial<APIGatewayProxyResult>): ApiResponse['headers'] {
  const named: ApiResponse['headers'] = [];
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) {
    if (!Array.isArray(values)) {
      throw new Error(`API Gateway rejects multiValueHeaders whose ${name} is no list.`);
    }
    named.push(...values.map((value): [string, string] => [name, `${value}`]));
  }
  for (const [name, value] of Object.entries(headers ?? {})) {
    named.push([name, `${value}`]);
  }
  return named;
}
