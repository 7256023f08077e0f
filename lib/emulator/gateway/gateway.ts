import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { FunctionPool } from '../lambda/function-pool.ts';
import { accountId, region } from '../template/intrinsics.ts';
import type { Integration, Template } from '../template/template.ts';
import { gatewayResponse, type ResponseType } from './error-responses.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { type ApiFacts, proxyEvent } from './proxy-event.ts';
import { proxyResponse } from './proxy-response.ts';
import { findRoute, readRoutes } from './routes.ts';

export interface Gateway {
  readonly stageName: string;
  answer(request: HttpRequest): Promise<HttpResponse>;
}

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html */
const limits = { bodyBytes: 10 * 1024 * 1024, timeoutInMillis: 29_000 };

/** The REST API of a template, at its stage. Throws where the template is not of one REST API with one stage and functions that are all there. */
export function restApi(template: Template, pools: ReadonlyMap<string, FunctionPool>): Gateway {
  const [apiId, { BinaryMediaTypes: binaryMediaTypes = [] }] = only(
    template,
    'AWS::ApiGateway::RestApi',
  );
  const [, { DeploymentId: deploymentId, StageName: stage, Variables: stageVariables = null }] =
    only(template, 'AWS::ApiGateway::Stage');
  const api: ApiFacts = { apiId, binaryMediaTypes, deploymentId, stage, stageVariables };
  const routes = readRoutes(template, apiId, pools);
  const declared = [...template.of('AWS::ApiGateway::GatewayResponse').values()];

  async function answer(request: HttpRequest): Promise<HttpResponse> {
    const event = proxyEvent(request, api);
    const { requestContext } = event;
    // Without a stage there is no API whose responses could be declared.
    const response =
      requestContext.path.split('/')[1] === stage
        ? await respond(event, request.body.length)
        : forbidden;
    const ids: HttpResponse['headers'] = [
      ['x-amzn-RequestId', requestContext.requestId],
      ['x-amz-apigw-id', `${requestContext.extendedRequestId}`],
    ];
    return { ...response, headers: [...response.headers, ...ids] };
  }

  async function respond(event: APIGatewayProxyEvent, bodyBytes: number): Promise<HttpResponse> {
    const { httpMethod, path, requestContext } = event;
    const route = findRoute(routes, httpMethod, path);
    const refuse = (type: ResponseType) => gatewayResponse(type, declared, event);

    // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html: this one response cannot be declared.
    if (bodyBytes > limits.bodyBytes) return gatewayResponse('REQUEST_TOO_LARGE', [], event);
    if (!route) return refuse(unknownOperation(headerOf(event, 'authorization')));
    const { resourceId, resourcePath, pathParameters, authorize, integration, lambda } = route;
    Object.assign(requestContext, { resourceId, resourcePath });
    Object.assign(event, {
      resource: resourcePath,
      pathParameters: Object.keys(pathParameters).length > 0 ? pathParameters : null,
    });
    if (authorize) {
      const methodArn = `arn:aws:execute-api:${region()}:${accountId}:${apiId}/${stage}/${httpMethod}${path}`;
      const authorized = await authorize((name) => headerOf(event, name), methodArn);
      if (typeof authorized === 'string') return refuse(authorized);
      requestContext.authorizer = authorized;
    }
    const response = lambda ? await invoke(lambda, event, integration) : mock(event, integration);
    return typeof response === 'string' ? refuse(response) : response;
  }

  async function invoke(
    lambda: FunctionPool,
    event: APIGatewayProxyEvent,
    { TimeoutInMillis = limits.timeoutInMillis }: Integration,
  ) {
    const timeout = Promise.withResolvers<'INTEGRATION_TIMEOUT'>();
    const timer = setTimeout(timeout.resolve, TimeoutInMillis, 'INTEGRATION_TIMEOUT');
    const read = (payload: string) =>
      proxyResponse(payload, headerOf(event, 'accept'), binaryMediaTypes);
    const outcome = await Promise.race([
      lambda.invoke(event, (payload) => read(payload) !== undefined),
      timeout.promise,
    ]);
    clearTimeout(timer);
    if (outcome === 'INTEGRATION_TIMEOUT') return outcome;
    if (outcome === 'RequestTooLarge') return 'REQUEST_TOO_LARGE';
    return ('payload' in outcome && read(outcome.payload)) || 'INTEGRATION_FAILURE';
  }

  return { stageName: stage, answer };
}

function only<Type extends 'AWS::ApiGateway::RestApi' | 'AWS::ApiGateway::Stage'>(
  template: Template,
  type: Type,
) {
  const [resource, ...others] = template.of(type);
  if (!resource || others.length > 0)
    throw new Error(`The emulator runs one ${type}; the template has ${template.of(type).size}.`);
  return resource;
}

const headerOf = ({ headers }: APIGatewayProxyEvent, name: string) =>
  Object.entries(headers).findLast(([known]) => known.toLowerCase() === name)?.[1];

/**
 * Where no method is there to say otherwise, an Authorization header is read as a signature, and a bearer token as a broken one. API Gateway has
 * also been seen to log such a request as DEFAULT_4XX (https://github.com/DataBiosphere/azul/issues/7470): only a deployed stack can tell.
 */
const unknownOperation = (authorization: string | undefined) =>
  authorization === undefined ? 'MISSING_AUTHENTICATION_TOKEN' : 'INVALID_SIGNATURE';

/** A mock has a request template for JSON only; without a Content-Type a request counts as JSON. */
function mock(
  event: APIGatewayProxyEvent,
  { IntegrationResponses: [response] = [] }: Integration,
): HttpResponse | ResponseType {
  if (!/^application\/json\s*(;|$)/i.test(headerOf(event, 'content-type') ?? 'application/json'))
    return 'UNSUPPORTED_MEDIA_TYPE';
  if (!response) return 'DEFAULT_5XX';
  const { requestId } = event.requestContext;
  const headers = Object.entries(response.ResponseParameters ?? {}).map(
    ([to, source]): [string, string] => [
      to.slice('method.response.header.'.length),
      source === 'context.requestId' ? requestId : source.slice(1, -1),
    ],
  );
  return {
    statusCode: Number(response.StatusCode),
    headers: [['Content-Type', 'application/json'], ...headers],
    body: '',
  };
}

const forbidden: HttpResponse = {
  statusCode: 403,
  headers: [
    ['Content-Type', 'application/json'],
    ['x-amzn-ErrorType', 'ForbiddenException'],
  ],
  body: '{"message":"Forbidden"}',
};
