import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { gatewayResponses } from '../../functions/shared/gateway-responses.ts';
import { commonHeaders, requestIdHeader } from '../../functions/shared/headers.ts';
import { problemDetails, problemMediaType, problems } from '../../functions/shared/problems.ts';

/** Not `context.requestId`: clients can choose it, and it would be inserted unescaped. */
const requestId = 'context.extendedRequestId';

/**
 * Gives the gateway's own errors the problem details and headers of the functions' errors. Details
 * are literals, because the gateway's messages can quote the caller's token.
 */
export function addGatewayResponses(rest: RestApi, corsOrigin: string | undefined): void {
  for (const [type, code] of Object.entries(gatewayResponses)) {
    const { status, headers } = problems[code];
    rest.addGatewayResponse(type, {
      type: ResponseType.of(type),
      statusCode: `${status}`,
      responseHeaders: formatHeaderSources({
        'Content-Type': problemMediaType,
        ...commonHeaders(corsOrigin),
        ...headers,
      }),
      templates: { 'application/json': JSON.stringify(problemDetails(code, `$${requestId}`)) },
    });
  }
}

/**
 * Returns the sources of headers in the gateway's own responses. Literals are quoted:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/request-response-data-mappings.html
 */
export function formatHeaderSources(headers: Record<string, string>): Record<string, string> {
  const literals = Object.entries(headers).map(([name, value]) => [name, `'${value}'`]);
  return { ...Object.fromEntries(literals), [requestIdHeader]: requestId };
}
