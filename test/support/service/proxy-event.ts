import type { APIGatewayProxyEvent, Context } from 'aws-lambda';

export interface ProxyEventInput {
  path?: string;
  pathParameters?: Record<string, string> | null | undefined;
  query?: Record<string, string[]> | undefined;
  headers?: Record<string, string[]>;
  body?: string | null | undefined;
  isBase64Encoded?: boolean | undefined;
  authorizer?: Record<string, unknown> | null;
}

const json = { 'content-TYPE': ['application/json'] };

/** Returns an event of a proxy integration, limited to the members that the functions read. */
export const proxyEvent = ({
  path = '/v1/plants',
  headers = json,
  authorizer = { owner: 'alice' },
  ...given
}: ProxyEventInput = {}) =>
  ({
    multiValueHeaders: headers,
    multiValueQueryStringParameters: given.query ?? null,
    pathParameters: given.pathParameters ?? null,
    body: given.body ?? null,
    isBase64Encoded: given.isBase64Encoded ?? false,
    requestContext: { path, requestId: 'chosen', extendedRequestId: 'request-1', authorizer },
  }) as unknown as APIGatewayProxyEvent;

export const lambdaContext = (remainingMs = 10_000) =>
  ({ getRemainingTimeInMillis: () => remainingMs }) as Context;

/** Returns an authorizer event with this `Authorization` header. */
export const tokenEvent = (authorizationToken: string) => ({
  type: 'TOKEN' as const,
  methodArn: 'arn:aws:execute-api:eu-central-1:123456789012:abc123/v1/GET/plants',
  authorizationToken,
});
