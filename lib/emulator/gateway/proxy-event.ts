import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { accountId } from '../template/intrinsics.ts';
import type { HttpRequest } from './http.ts';
import { isBinary } from './media-types.ts';

/** What a request's event says of the API that it reached. */
export interface ApiFacts {
  apiId: string;
  binaryMediaTypes: string[];
  deploymentId: string;
  stage: string;
  stageVariables: Record<string, string> | null;
}

/** What does not reach a Lambda function. https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html */
const dropped =
  `Connection Content-Length Content-MD5 Expect Max-Forwards Proxy-Authenticate Server TE Trailer Transfer-Encoding Upgrade
  WWW-Authenticate X-HTTP-Method-Override`
    .toLowerCase()
    .split(/\s+/);

/**
 * The event of a Lambda proxy integration, but for the resource and its parameters. Of a header or query parameter that is there several times the
 * single-value map has the last; the query is decoded, the path is not.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-input-format
 */
export function proxyEvent(
  request: HttpRequest,
  { binaryMediaTypes, stageVariables, ...api }: ApiFacts,
): APIGatewayProxyEvent {
  const { body, sourceIp } = request;
  const header = (name: string) =>
    request.headers.findLast(([known]) => known.toLowerCase() === name)?.[1];
  const httpMethod = header('x-http-method-override') ?? request.method;
  const [fullPath = '', search = ''] = request.url
    .replace(/^https?:\/\/[^/?]*/i, '')
    .split(/\?(.*)/s);
  const [host, now] = [header('host') ?? '', new Date()];
  const headers = request.headers.filter(([name]) => !dropped.includes(name.toLowerCase()));
  const query = readQuery(search);
  const isBase64Encoded = body.length > 0 && isBinary(header('content-type'), binaryMediaTypes);
  return {
    resource: '',
    // Several slashes after the stage are one.
    path: fullPath.replace(/^\/[^/]*\/*/, '/'),
    httpMethod,
    headers: Object.fromEntries(headers),
    multiValueHeaders: multiValues(headers),
    queryStringParameters: query.length > 0 ? Object.fromEntries(query) : null,
    multiValueQueryStringParameters: query.length > 0 ? multiValues(query) : null,
    pathParameters: null,
    stageVariables,
    requestContext: {
      ...api,
      accountId,
      authorizer: undefined,
      domainName: host,
      domainPrefix: host.replace(/\..*/, ''),
      extendedRequestId: randomUUID(),
      httpMethod,
      identity: { ...nobody, sourceIp, userAgent: header('user-agent') ?? null },
      path: fullPath,
      protocol: 'HTTP/1.1',
      // A client can choose it.
      requestId: header('x-amzn-requestid') ?? randomUUID(),
      // 21/Nov/2026:04:05:06 +0000
      requestTime: now
        .toUTCString()
        .replace(/^\w+, (\d+) (\w+) (\d+) (\S+) GMT$/, '$1/$2/$3:$4 +0000'),
      requestTimeEpoch: now.getTime(),
      resourceId: '',
      resourcePath: '',
    },
    // Bytes that are no UTF-8 become U+FFFD, unless the media type is declared binary.
    body: body.length > 0 ? body.toString(isBase64Encoded ? 'base64' : 'utf8') : null,
    isBase64Encoded,
  };
}

/** Any name is a name here, `__proto__` too. */
function multiValues(pairs: [string, string][]): Record<string, string[]> {
  const groups = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries(
    [...groups].map(([name, group]) => [name, group.map(([, value]) => value)]),
  );
}

/** `+` is a space; what is not percent-encoded properly stays as it is. A semicolon splits as `&` does. */
function readQuery(query: string): [string, string][] {
  const decode = (text: string) => {
    try {
      return decodeURIComponent(text.replaceAll('+', ' '));
    } catch {
      return text;
    }
  };
  const pairs = query.split(/[&;]/).filter((pair) => pair !== '');
  return pairs
    .map((pair) => pair.split(/=(.*)/s))
    .map(([name = '', value = '']) => [decode(name), decode(value)]);
}

const nobody = {
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
