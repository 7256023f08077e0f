import { randomUUID } from 'node:crypto';
import type { APIGatewayEventRequestContext } from 'aws-lambda';
import { type Authorize, tokenAuthorizer } from './authorizer.ts';
import type { FunctionPool } from './function-pool.ts';
import { type HttpResponse, type Refusal, renderGatewayResponse } from './gateway-responses.ts';
import { type GatewayRequest, proxyEvent, proxyResponse } from './proxy-integration.ts';
import { accountId, functionArn, type Integration, region, rootResourceId, type Template } from './template.ts';

/** A request as it came over HTTP; its body is missing where it is larger than API Gateway takes. */
export interface HttpRequest {
  method: string;
  /** Path and query, percent-encoded. */
  url: string;
  headers: [string, string][];
  body: Buffer | undefined;
  sourceIp: string;
}

export interface Gateway {
  readonly stageName: string;
  answer(request: HttpRequest): Promise<HttpResponse>;
}

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html */
const defaultTimeoutInMillis = 29_000;

interface Route {
  httpMethod: string;
  resourceId: string;
  resourcePath: string;
  segments: string[];
  authorize: Authorize | undefined;
  integration: Integration;
  /** The function of a Lambda integration. */
  lambda: FunctionPool | undefined;
}

/** The REST API of a template, at its stage. Throws where the template is not of one REST API with one stage and functions that are all there. */
export function restApi(template: Template, pools: ReadonlyMap<string, FunctionPool>): Gateway {
  const [restApiId, { BinaryMediaTypes = [] }] = only(template, 'AWS::ApiGateway::RestApi');
  const [, stage] = only(template, 'AWS::ApiGateway::Stage');
  const stageVariables = stage.Variables;
  const gatewayResponses = template.of('AWS::ApiGateway::GatewayResponse');
  const routes = readRoutes(template, restApiId, pools);

  async function answer(http: HttpRequest): Promise<HttpResponse> {
    const header = (name: string) => http.headers.findLast(([known]) => known.toLowerCase() === name)?.[1];
    const [fullPath = '', ...afterwards] = http.url.replace(/^https?:\/\/[^/?]*/i, '').split('?');
    const httpMethod = header('x-http-method-override') ?? http.method;
    const [, stageName, rest = ''] = /^\/([^/]*)(.*)$/s.exec(fullPath) ?? [];
    const host = header('host') ?? '';
    const extendedRequestId = randomUUID();
    const requestContext: APIGatewayEventRequestContext & { deploymentId: string } = {
      accountId,
      apiId: restApiId,
      authorizer: undefined,
      deploymentId: stage.DeploymentId,
      domainName: host,
      domainPrefix: host.split('.')[0] ?? '',
      extendedRequestId,
      httpMethod,
      identity: { ...nobody, sourceIp: http.sourceIp, userAgent: header('user-agent') ?? null },
      path: fullPath,
      protocol: 'HTTP/1.1',
      // A client can choose it.
      requestId: header('x-amzn-requestid') ?? randomUUID(),
      requestTime: commonLogTime(new Date()),
      requestTimeEpoch: Date.now(),
      resourceId: '',
      resourcePath: '',
      stage: stage.StageName,
    };
    const identified = (response: HttpResponse): HttpResponse => ({
      ...response,
      headers: { ...response.headers, 'x-amzn-RequestId': requestContext.requestId, 'x-amz-apigw-id': extendedRequestId },
    });
    // Without a stage there is no API whose responses could be declared.
    if (stageName !== stage.StageName) return identified(forbidden);

    const query = readQuery(afterwards.join('?'));
    // Several slashes at the start are one, and one at the end is none when it comes to the resource; what the function sees keeps the latter.
    const path = `/${rest.replace(/^\/+/, '')}`;
    const route = match(routes, httpMethod, path.replace(/\/$/, ''));
    const request: GatewayRequest = {
      httpMethod,
      path,
      headers: http.headers,
      query,
      body: http.body ?? Buffer.alloc(0),
      resource: route?.resourcePath ?? '',
      pathParameters: route?.pathParameters ?? {},
      stageVariables,
      requestContext,
    };
    const refuse = (refusal: Refusal) => {
      const known = { header: Object.fromEntries(http.headers), querystring: Object.fromEntries(query), path: request.pathParameters };
      const variables = { context: requestContext, stageVariables: stageVariables ?? {}, method: { request: known } };
      return identified(renderGatewayResponse(refusal, gatewayResponses, variables));
    };

    // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html: this one response cannot be declared.
    if (!http.body) return identified(requestTooLarge);
    if (!route) return refuse(unknownOperation(header('authorization')));
    requestContext.resourceId = route.resourceId;
    requestContext.resourcePath = route.resourcePath;
    if (route.authorize) {
      const methodArn = `arn:aws:execute-api:${region()}:${accountId}:${restApiId}/${stage.StageName}/${httpMethod}${path}`;
      const authorized = await route.authorize(http.headers, methodArn);
      if ('type' in authorized) return refuse(authorized as Refusal);
      requestContext.authorizer = authorized;
    }
    if (!route.lambda) return mockResponse(route.integration, header('content-type'), refuse, identified);

    const timeout = Promise.withResolvers<'timeout'>();
    const timer = setTimeout(timeout.resolve, route.integration.TimeoutInMillis ?? defaultTimeoutInMillis, 'timeout');
    const outcome = await Promise.race([route.lambda.invoke(proxyEvent(request, BinaryMediaTypes)), timeout.promise]);
    clearTimeout(timer);
    if (outcome === 'timeout') return refuse({ type: 'INTEGRATION_TIMEOUT' });
    if (outcome === 'RequestTooLarge') return refuse({ type: 'REQUEST_TOO_LARGE' });
    const response = 'payload' in outcome ? proxyResponse(outcome.payload, header('accept'), BinaryMediaTypes) : undefined;
    return response ? identified(response) : refuse({ type: 'INTEGRATION_FAILURE' });
  }

  return { stageName: stage.StageName, answer };
}

function only<Type extends 'AWS::ApiGateway::RestApi' | 'AWS::ApiGateway::Stage'>(template: Template, type: Type) {
  const [resource, ...others] = template.of(type);
  if (!resource || others.length > 0) throw new Error(`The emulator runs one ${type}; the template has ${template.of(type).size}.`);
  return resource;
}

function readRoutes(template: Template, restApiId: string, pools: ReadonlyMap<string, FunctionPool>): Route[] {
  const resources = template.of('AWS::ApiGateway::Resource');
  const authorizers = new Map<string, Authorize>();
  for (const [logicalId, properties] of template.of('AWS::ApiGateway::Authorizer')) {
    authorizers.set(logicalId, tokenAuthorizer(properties, poolOf(properties.AuthorizerUri, logicalId)));
  }
  function poolOf(uri: string | undefined, logicalId: string): FunctionPool {
    const [, name = ''] = /function:(\w+)\/invocations$/.exec(uri ?? '') ?? [];
    const pool = uri?.includes(functionArn(name)) && pools.get(name);
    if (!pool) throw new Error(`${logicalId}: the template has no function for ${uri}.`);
    return pool;
  }
  function pathOf(resourceId: string): string {
    const resource = resources.get(resourceId);
    return resource ? `${resource.ParentId === rootResourceId(restApiId) ? '' : pathOf(resource.ParentId)}/${resource.PathPart}` : '/';
  }
  return [...template.of('AWS::ApiGateway::Method')].map(
    ([logicalId, { HttpMethod, ResourceId, AuthorizationType, AuthorizerId = '', Integration }]) => {
      const authorize = AuthorizationType === 'CUSTOM' ? authorizers.get(AuthorizerId) : undefined;
      if (AuthorizationType === 'CUSTOM' && !authorize) throw new Error(`${logicalId}: the template has no authorizer ${AuthorizerId}.`);
      const resourcePath = pathOf(ResourceId);
      return {
        httpMethod: HttpMethod,
        resourceId: ResourceId,
        resourcePath,
        segments: resourcePath.replace(/\/$/, '').split('/'),
        authorize,
        integration: Integration,
        lambda: Integration.Type === 'MOCK' ? undefined : poolOf(Integration.Uri, logicalId),
      };
    },
  );
}

/** A literal segment goes before a parameter, which takes any segment that is not empty, as it came. */
function match(routes: Route[], httpMethod: string, path: string): (Route & { pathParameters: Record<string, string> }) | undefined {
  const sent = path.split('/');
  const literals = ({ segments }: Route) => segments.map((segment) => (segment.startsWith('{') ? 1 : 0)).join('');
  const fits = ({ segments }: Route) =>
    segments.length === sent.length && segments.every((segment, i) => segment === sent[i] || (segment.startsWith('{') && sent[i] !== ''));
  const [best] = routes.filter(fits).sort((a, b) => literals(a).localeCompare(literals(b)));
  // Other methods of the best resource do not fall back to another resource.
  const route = routes.find((other) => other.resourceId === best?.resourceId && other.httpMethod === httpMethod);
  if (!route) return undefined;
  const parameters = route.segments.flatMap((segment, i) => (segment.startsWith('{') ? [[segment.slice(1, -1), sent[i] ?? '']] : []));
  return { ...route, pathParameters: Object.fromEntries(parameters) };
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
  return query
    .split(/[&;]/)
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [decode(name), decode(value.join('='))];
    });
}

/**
 * Where no method is there to say otherwise, an Authorization header is read as a signature, and a bearer token as a broken one. API Gateway has
 * also been seen to log such a request as DEFAULT_4XX (https://github.com/DataBiosphere/azul/issues/7470): only a deployed stack can tell.
 */
const unknownOperation = (authorization: string | undefined): Refusal => ({
  type: authorization === undefined ? 'MISSING_AUTHENTICATION_TOKEN' : 'INVALID_SIGNATURE',
});

/** A mock has a request template for JSON only; without a Content-Type a request counts as JSON. */
function mockResponse(
  { IntegrationResponses: [response] = [] }: Integration,
  contentType: string | undefined,
  refuse: (refusal: Refusal) => HttpResponse,
  identified: (response: HttpResponse) => HttpResponse,
): HttpResponse {
  if (contentType !== undefined && !/^application\/json\s*(;|$)/i.test(contentType)) return refuse({ type: 'UNSUPPORTED_MEDIA_TYPE' });
  if (!response) return refuse({ type: 'DEFAULT_5XX' });
  const headers: [string, string][] = Object.entries(response.ResponseParameters ?? {}).map(([parameter, literal]) => [
    parameter.slice('method.response.header.'.length),
    literal.slice(1, -1),
  ]);
  return identified({
    statusCode: Number(response.StatusCode),
    headers: { 'Content-Type': 'application/json', ...Object.fromEntries(headers) },
    body: '',
  });
}

const json = { 'Content-Type': 'application/json' };
const forbidden: HttpResponse = {
  statusCode: 403,
  headers: { ...json, 'x-amzn-ErrorType': 'ForbiddenException' },
  body: '{"message":"Forbidden"}',
};
const requestTooLarge: HttpResponse = {
  statusCode: 413,
  headers: { ...json, 'x-amzn-ErrorType': 'RequestTooLargeException' },
  body: '{"message":"Request Too Long"}',
};

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

/** 21/Nov/2026:04:05:06 +0000 */
function commonLogTime(date: Date): string {
  const [, day, month, year, time] = date.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
