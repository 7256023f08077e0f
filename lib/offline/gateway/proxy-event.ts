import { parse } from 'node:querystring';
import type { APIGatewayEventIdentity, APIGatewayProxyEvent } from 'aws-lambda';
import { accountId } from '../template/resource-values.ts';
import type { GatewayRequest } from './request.ts';
import type { MatchedRoute } from './routes.ts';
import type { AuthorizerContext } from './token-authorizer.ts';

/** What an event tells of the API that it comes from. */
export interface DeployedApi {
  apiId: string;
  deploymentId: string;
  stage: string;
}

/**
 * The headers that do not reach a Lambda function, in lower case.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
 */
const dropped = [
  'connection',
  'content-length',
  'content-md5',
  'expect',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
  'x-http-method-override',
];

/**
 * Builds the event of a Lambda proxy integration. If a header or query parameter has several
 * values, the single-value map has the last. The query is decoded, the path is not.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-input-format
 */
export function proxyEvent(
  request: GatewayRequest,
  api: DeployedApi,
  { resourceId, resourcePath, pathParameters }: MatchedRoute,
  authorizer: AuthorizerContext | undefined,
): APIGatewayProxyEvent {
  const { httpMethod, path, body } = request;
  const host = request.header('host') ?? '';
  const now = new Date();
  const headers = request.headers.filter(([name]) => !dropped.includes(name.toLowerCase()));
  const query = readQuery(request.search);
  const hasQuery = query.length > 0;
  return {
    resource: resourcePath,
    path,
    httpMethod,
    headers: Object.fromEntries(headers),
    multiValueHeaders: multiValues(headers),
    queryStringParameters: hasQuery ? Object.fromEntries(query) : null,
    multiValueQueryStringParameters: hasQuery ? multiValues(query) : null,
    pathParameters: Object.keys(pathParameters).length > 0 ? pathParameters : null,
    stageVariables: null,
    requestContext: {
      ...api,
      accountId,
      authorizer,
      domainName: host,
      domainPrefix: host.replace(/\..*/, ''),
      extendedRequestId: request.extendedRequestId,
      httpMethod,
      identity: {
        ...anonymousIdentity,
        sourceIp: request.sourceIp,
        userAgent: request.header('user-agent') ?? null,
      },
      path: request.fullPath,
      protocol: 'HTTP/1.1',
      requestId: request.requestId,
      // 21/Nov/2026:04:05:06 +0000
      requestTime: now.toUTCString().replace(utc, '$1/$2/$3:$4 +0000'),
      requestTimeEpoch: now.getTime(),
      resourceId,
      resourcePath,
    },
    // Bytes that are not UTF-8 become U+FFFD, because the API has no binary media types.
    body: body.length > 0 ? body.toString() : null,
    isBase64Encoded: false,
  };
}

const utc = /^\w+, (\d+) (\w+) (\d+) (\S+) GMT$/;

/** Groups the values by name. `Object.fromEntries` accepts any name, even `__proto__`. */
function multiValues(pairs: [string, string][]): Record<string, string[]> {
  const groups = [...Map.groupBy(pairs, ([name]) => name)];
  return Object.fromEntries(groups.map(([name, group]) => [name, group.map(([, value]) => value)]));
}

/** `+` is a space, and a semicolon separates parameters as `&` does. */
function readQuery(query: string): [name: string, value: string][] {
  const parameters = parse(query.replaceAll(';', '&'), '&', '=', { maxKeys: 0 });
  const pairs: [name: string, value: string][] = [];
  for (const [name, values = ''] of Object.entries(parameters)) {
    for (const value of [values].flat()) {
      pairs.push([name, value]);
    }
  }
  return pairs;
}

/** Only IAM, API keys and client certificates tell more of a caller. */
const anonymousIdentity: Omit<APIGatewayEventIdentity, 'sourceIp' | 'userAgent'> = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};
