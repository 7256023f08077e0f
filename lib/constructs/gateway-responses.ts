import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { commonHeaders, requestIdHeader } from '../../functions/shared/headers.ts';
import {
  type ProblemCode,
  problemMediaType,
  problemMembers,
  problems,
} from '../../functions/shared/problems.ts';

/**
 * Has every type, because API Gateway has a status and a body of its own for any other.
 * A deployed API logged an unknown path with a bearer token as DEFAULT_4XX
 * (https://github.com/DataBiosphere/azul/issues/7470), so that is `no-such-operation` too.
 */
const problemOf: [ResponseType, ProblemCode][] = [
  [ResponseType.ACCESS_DENIED, 'insufficient-scope'],
  [ResponseType.API_CONFIGURATION_ERROR, 'internal-error'],
  // API Gateway reports an authorizer that threw as this.
  [ResponseType.AUTHORIZER_CONFIGURATION_ERROR, 'unavailable'],
  [ResponseType.AUTHORIZER_FAILURE, 'unavailable'],
  [ResponseType.BAD_REQUEST_BODY, 'invalid-request'],
  [ResponseType.BAD_REQUEST_PARAMETERS, 'invalid-request'],
  [ResponseType.DEFAULT_4XX, 'no-such-operation'],
  [ResponseType.DEFAULT_5XX, 'internal-error'],
  [ResponseType.EXPIRED_TOKEN, 'no-such-operation'],
  [ResponseType.INTEGRATION_FAILURE, 'unavailable'],
  [ResponseType.INTEGRATION_TIMEOUT, 'unavailable'],
  [ResponseType.INVALID_API_KEY, 'no-such-operation'],
  [ResponseType.INVALID_SIGNATURE, 'no-such-operation'],
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, 'no-such-operation'],
  [ResponseType.QUOTA_EXCEEDED, 'too-many-requests'],
  [ResponseType.REQUEST_TOO_LARGE, 'content-too-large'],
  [ResponseType.RESOURCE_NOT_FOUND, 'no-such-operation'],
  [ResponseType.THROTTLED, 'too-many-requests'],
  [ResponseType.UNAUTHORIZED, 'unauthorized'],
  [ResponseType.UNSUPPORTED_MEDIA_TYPE, 'unsupported-media-type'],
  [ResponseType.WAF_FILTERED, 'request-blocked'],
];

/**
 * Gives the gateway's own errors the problem details and headers that the functions' errors have.
 * Details are literals, because the gateway's messages can quote the caller's token.
 */
export function addGatewayResponses(api: RestApi, corsOrigin: string | undefined): void {
  for (const [type, code] of problemOf) {
    const { status, detail, headers } = problems[code];
    const problem = { ...problemMembers(code), detail, instance: `$${requestId}` };
    const own = { 'Content-Type': problemMediaType, ...commonHeaders(corsOrigin), ...headers };
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: `${status}`,
      responseHeaders: headersOfGateway(own),
      templates: { 'application/json': JSON.stringify(problem) },
    });
  }
}

/** Not `context.requestId`, which a client can choose and which would stand here unescaped. */
const requestId = 'context.extendedRequestId';

/** Returns the headers of a response of the gateway's own: quoted literals, and the request id. */
export const headersOfGateway = (headers: Record<string, string>): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`])),
  [requestIdHeader]: requestId,
});
