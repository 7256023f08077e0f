import type { ProblemCode } from './problems.ts';

/**
 * The problems that API Gateway returns by itself, by type of gateway response. Every type that a
 * client of this API can meet is declared, so that no status depends on the defaults:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export const gatewayResponses = {
  ACCESS_DENIED: 'insufficient-scope',
  // API Gateway reports an authorizer that threw as one of the next three.
  API_CONFIGURATION_ERROR: 'unavailable',
  AUTHORIZER_CONFIGURATION_ERROR: 'unavailable',
  AUTHORIZER_FAILURE: 'unavailable',
  DEFAULT_4XX: 'no-such-operation',
  // Not `internal-error`, because a write may have happened whatever API Gateway fails with.
  DEFAULT_5XX: 'unavailable',
  INTEGRATION_FAILURE: 'unavailable',
  INTEGRATION_TIMEOUT: 'unavailable',
  // An unknown path without an Authorization header. With a bearer token, it is DEFAULT_4XX.
  MISSING_AUTHENTICATION_TOKEN: 'no-such-operation',
  REQUEST_TOO_LARGE: 'content-too-large',
  RESOURCE_NOT_FOUND: 'no-such-operation',
  THROTTLED: 'too-many-requests',
  UNAUTHORIZED: 'unauthorized',
  UNSUPPORTED_MEDIA_TYPE: 'unsupported-media-type',
  WAF_FILTERED: 'request-blocked',
} as const satisfies Record<string, ProblemCode>;

export type GatewayResponseType = keyof typeof gatewayResponses;
