import type { APIGatewayProxyResult } from 'aws-lambda';
import type { ProblemCode } from '../../../functions/shared/problems.ts';
import type { Failure } from '../runtime/messages.ts';

export interface ApiResponse {
  status: number;
  headers: [name: string, value: string][];
  body: string;
  /** The code of the gateway's own problem. */
  problem?: ProblemCode;
  /** The lines that the functions logged for it, as JSON. */
  log?: string[];
  /** The error, if a function failed. */
  failure?: Failure | undefined;
}

/**
 * Returns the response that a function's result (JSON) describes to API Gateway's proxy
 * integration. Throws if the result describes none. Operations set no other members than these.
 */
export function toResponse(payload = 'null'): ApiResponse {
  const result: Partial<APIGatewayProxyResult> | null = JSON.parse(payload);
  if (typeof result !== 'object' || result === null) {
    throw new Error(`The function returned no object: ${payload}`);
  }
  const { statusCode, headers, body = '' } = result;
  if (statusCode === undefined) {
    throw new Error('The result has no statusCode. API Gateway would send an empty 200.');
  }
  const allHeaders = { 'Content-Type': 'application/json', ...headers };
  return {
    status: statusCode,
    headers: Object.entries(allHeaders).map(([name, value]) => [name, `${value}`]),
    body,
  };
}
