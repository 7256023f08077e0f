import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Properties } from '../template/template.ts';
import type { HttpResponse } from './http.ts';

export type ResponseType = keyof typeof defaults;

/**
 * Status, `x-amzn-ErrorType` and message of each type that the emulator gives.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 * INTEGRATION_FAILURE is 504 there; what API Gateway sends is 502 (https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway-errors.html).
 */
const defaults = {
  ACCESS_DENIED: [403, 'AccessDeniedException', 'User is not authorized to access this resource'],
  AUTHORIZER_CONFIGURATION_ERROR: [500, 'AuthorizerConfigurationException', null],
  AUTHORIZER_FAILURE: [500, 'AuthorizerFailureException', null],
  DEFAULT_4XX: [400, 'BadRequestException', 'Bad Request'],
  DEFAULT_5XX: [500, 'InternalServerErrorException', 'Internal server error'],
  INTEGRATION_FAILURE: [502, 'InternalServerErrorException', 'Internal server error'],
  INTEGRATION_TIMEOUT: [504, 'InternalServerErrorException', 'Endpoint request timed out'],
  INVALID_SIGNATURE: [
    403,
    'IncompleteSignatureException',
    'Invalid key=value pair (missing equal-sign) in Authorization header',
  ],
  MISSING_AUTHENTICATION_TOKEN: [
    403,
    'MissingAuthenticationTokenException',
    'Missing Authentication Token',
  ],
  REQUEST_TOO_LARGE: [413, 'RequestTooLargeException', 'Request Too Long'],
  UNAUTHORIZED: [401, 'UnauthorizedException', 'Unauthorized'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'BadRequestException', 'Unsupported Media Type'],
} as const satisfies Record<string, [number, string, string | null]>;

/**
 * A response of the gateway's own as the template declares it: its type's, or else DEFAULT_4XX's or DEFAULT_5XX's, or else API Gateway's. Its
 * templates are not VTL: they know references only.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-gatewayResponse-definition.html
 */
export function gatewayResponse(
  type: ResponseType,
  declared: Properties['AWS::ApiGateway::GatewayResponse'][],
  {
    headers: header,
    queryStringParameters: querystring,
    pathParameters: path,
    stageVariables,
    requestContext,
  }: APIGatewayProxyEvent,
): HttpResponse {
  const [status, errorType, message] = defaults[type];
  const declarationOf = (name: string) =>
    declared.find(({ ResponseType }) => ResponseType === name);
  const response =
    declarationOf(type) ?? declarationOf(status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
  const error = {
    message,
    messageString: JSON.stringify(message),
    responseType: type,
    validationErrorString: '',
  };
  const known = {
    context: { ...requestContext, error },
    stageVariables,
    method: { request: { header, querystring, path } },
  };

  // API Gateway spells this one member of its own body with a capital.
  const fallback = `{"${type === 'ACCESS_DENIED' ? 'Message' : 'message'}":$context.error.messageString}`;
  const [contentType = 'application/json', template = fallback] =
    Object.entries(response?.ResponseTemplates ?? {})[0] ?? [];
  const headers = new Map([
    ['Content-Type', contentType],
    ['x-amzn-ErrorType', errorType],
  ]);
  for (const [parameter, source] of Object.entries(response?.ResponseParameters ?? {})) {
    const value = source.startsWith("'") ? source.slice(1, -1) : lookUp(known, source);
    if (value !== undefined) headers.set(parameter.slice('gatewayresponse.header.'.length), value);
  }
  const body = template.replace(
    /\$(\w+(?:\.[\w-]+)+)/g,
    (_, reference: string) => lookUp(known, reference) ?? '',
  );
  return { statusCode: Number(response?.StatusCode ?? status), headers: [...headers], body };
}

/** The value at a dotted path, as text; undefined where there is none. */
function lookUp(known: object, path: string): string | undefined {
  let value: unknown = known;
  for (const name of path.split('.'))
    value = (value as Record<string, unknown> | null | undefined)?.[name];
  return value === undefined || value === null ? undefined : String(value);
}
