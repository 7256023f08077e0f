import type { Properties } from '../template/properties.ts';
import type { HttpResponse } from './request.ts';

export type ResponseType = keyof typeof defaults;

/** A request that the gateway does not pass on, by the type of the response that says so. */
export interface Refusal {
  refused: ResponseType;
}

interface DefaultResponse {
  status: number;
  errorType: string;
  message: string | null;
}

/**
 * Status, error type and message of each type of response that the emulator sends.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 * INTEGRATION_FAILURE is 504 there, but API Gateway sends 502:
 * https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway-errors.html
 */
const defaults = {
  ACCESS_DENIED: {
    status: 403,
    errorType: 'AccessDenied',
    message: 'User is not authorized to access this resource',
  },
  AUTHORIZER_CONFIGURATION_ERROR: {
    status: 500,
    errorType: 'AuthorizerConfiguration',
    message: null,
  },
  // API Gateway takes the token for a broken AWS signature.
  DEFAULT_4XX: {
    status: 403,
    errorType: 'IncompleteSignature',
    message: 'Invalid key=value pair (missing equal-sign) in Authorization header',
  },
  DEFAULT_5XX: {
    status: 500,
    errorType: 'InternalServerError',
    message: 'Internal server error',
  },
  // Without a stage there is no API that could declare a response.
  FORBIDDEN: {
    status: 403,
    errorType: 'Forbidden',
    message: 'Forbidden',
  },
  INTEGRATION_FAILURE: {
    status: 502,
    errorType: 'InternalServerError',
    message: 'Internal server error',
  },
  INTEGRATION_TIMEOUT: {
    status: 504,
    errorType: 'InternalServerError',
    message: 'Endpoint request timed out',
  },
  MISSING_AUTHENTICATION_TOKEN: {
    status: 403,
    errorType: 'MissingAuthenticationToken',
    message: 'Missing Authentication Token',
  },
  REQUEST_TOO_LARGE: {
    status: 413,
    errorType: 'RequestTooLarge',
    message: 'Request Too Long',
  },
  UNAUTHORIZED: {
    status: 401,
    errorType: 'Unauthorized',
    message: 'Unauthorized',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    errorType: 'BadRequest',
    message: 'Unsupported Media Type',
  },
} as const satisfies Record<string, DefaultResponse>;

/**
 * Returns a response of the gateway's own as the template declares it: its type's, or else
 * DEFAULT_4XX's or DEFAULT_5XX's, or else API Gateway's.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-gatewayResponse-definition.html
 */
export function gatewayResponse(
  type: ResponseType,
  declared: Properties['AWS::ApiGateway::GatewayResponse'][],
  extendedRequestId: string,
): HttpResponse {
  const { status, errorType, message } = defaults[type];
  const family = status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
  const find = (name: string) => declared.find(({ ResponseType }) => ResponseType === name);
  const response = find(type) ?? find(family);
  // API Gateway spells the one member of its own body with a capital for this type.
  const fallback = JSON.stringify({ [type === 'ACCESS_DENIED' ? 'Message' : 'message']: message });
  const headers = new Map([
    ['Content-Type', 'application/json'],
    ['x-amzn-ErrorType', `${errorType}Exception`],
    ...declaredHeaders(response?.ResponseParameters, extendedRequestId),
  ]);
  const template = response?.ResponseTemplates?.['application/json'] ?? fallback;
  return {
    statusCode: Number(response?.StatusCode ?? status),
    headers: [...headers],
    // The template is not VTL. API Gateway replaces references in it, and escapes nothing.
    body: template.replaceAll('$context.extendedRequestId', extendedRequestId),
  };
}

/** Returns headers that are declared as quoted literals or as the request id. */
export const declaredHeaders = (
  parameters: Record<string, string> = {},
  extendedRequestId: string,
): [name: string, value: string][] =>
  Object.entries(parameters).map(([parameter, source]) => [
    parameter.replace(/^.+?\.header\./, ''),
    source === 'context.extendedRequestId' ? extendedRequestId : source.slice(1, -1),
  ]);
