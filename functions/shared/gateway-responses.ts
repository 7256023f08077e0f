import type { ProblemCode } from './problems.ts';

/**
 * The problems that API Gateway answers with by itself, by its type of response. A type that is not
 * here answers as DEFAULT_4XX or DEFAULT_5XX does, with its status:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export const gatewayResponses = {
  ACCESS_DENIED: 'insufficient-scope',
  // API Gateway reports an authorizer that threw as this.
  AUTHORIZER_CONFIGURATION_ERROR: 'unavailable',
  AUTHORIZER_FAILURE: 'unavailable',
  DEFAULT_4XX: 'no-such-operation',
  DEFAULT_5XX: 'internal-error',
  INTEGRATION_FAILURE: 'unavailable',
  INTEGRATION_TIMEOUT: 'unavailable',
  REQUEST_TOO_LARGE: 'content-too-large',
  THROTTLED: 'too-many-requests',
  UNAUTHORIZED: 'unauthorized',
  UNSUPPORTED_MEDIA_TYPE: 'unsupported-media-type',
  WAF_FILTERED: 'request-blocked',
} as const satisfies Record<string, ProblemCode>;

export type GatewayResponseType = keyof typeof gatewayResponses;
