import { type FunctionPool, tooLarge } from '../lambda/function-pool.ts';
import { attempt } from '../template/intrinsics.ts';
import type { Integration } from '../template/properties.ts';
import { accountId, region } from '../template/resource-values.ts';
import type { Template } from '../template/template.ts';
import type { Trace } from '../trace.ts';
import { declaredHeaders, gatewayResponse, type ResponseType } from './error-responses.ts';
import { proxyEvent } from './proxy-event.ts';
import { proxyResponse } from './proxy-response.ts';
import {
  type GatewayRequest,
  type HttpRequest,
  type HttpResponse,
  readRequest,
} from './request.ts';
import { findRoute, type Pools, readRoutes } from './routes.ts';

/**
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
export const maxPayloadBytes = 10 * 1024 * 1024;
const maxTimeoutInMillis = 29_000;

/**
 * Returns the REST API of a template. Throws if it lacks a stage or a function of the API.
 * `timeoutMs` takes the place of the integrations' timeouts.
 */
export function restApi(template: Template, pools: Pools, timeoutMs?: number) {
  const [apiId = ''] = template.of('AWS::ApiGateway::RestApi').keys();
  const [deployed] = template.of('AWS::ApiGateway::Stage').values();
  if (!deployed) throw new Error(`The template has no stage of the API ${apiId}. Add one to it.`);
  const { DeploymentId: deploymentId, StageName: stage } = deployed;
  const api = { apiId, deploymentId, stage };
  const apiArn = `arn:aws:execute-api:${region()}:${accountId}:${apiId}`;
  const routes = readRoutes(template, apiId, pools);
  const declared = [...template.of('AWS::ApiGateway::GatewayResponse').values()];

  async function answer(httpRequest: HttpRequest, trace: Trace): Promise<HttpResponse> {
    const request = readRequest(httpRequest);
    const response = await respond(request, trace);
    const { requestId, extendedRequestId } = request;
    response.headers.push(['x-amzn-RequestId', requestId], ['x-amz-apigw-id', extendedRequestId]);
    return response;
  }

  async function respond(request: GatewayRequest, trace: Trace): Promise<HttpResponse> {
    const { httpMethod, path, header, extendedRequestId } = request;
    const refuse = (type: ResponseType) => gatewayResponse(type, declared, extendedRequestId);

    if (request.body.length > maxPayloadBytes) return bodyTooLarge();
    if (request.stage !== stage) return gatewayResponse('FORBIDDEN', [], extendedRequestId);
    const route = findRoute(routes, httpMethod, path);
    // https://github.com/DataBiosphere/azul/issues/7470: a deployed API logged this type.
    if (!route)
      return refuse(header('authorization') ? 'DEFAULT_4XX' : 'MISSING_AUTHENTICATION_TOKEN');
    const { authorize, integration, lambda } = route;
    trace.resourcePath = route.resourcePath;
    const methodArn = `${apiArn}/${stage}/${httpMethod}${path}`;
    const authorizer = await authorize?.(header, methodArn, trace);
    if (typeof authorizer === 'string') return refuse(authorizer);
    const limits = timeoutMs === undefined ? integration : { TimeoutInMillis: timeoutMs };
    const response = lambda
      ? await invoke(lambda, proxyEvent(request, api, route, authorizer), limits, trace)
      : mock(request, integration);
    return typeof response === 'string' ? refuse(response) : response;
  }

  return { stageName: stage, answer };
}

async function invoke(
  lambda: FunctionPool,
  event: object,
  { TimeoutInMillis = maxTimeoutInMillis }: Pick<Integration, 'TimeoutInMillis'>,
  trace: Trace,
): Promise<HttpResponse | ResponseType> {
  const timeout = Promise.withResolvers<'INTEGRATION_TIMEOUT'>();
  const timer = setTimeout(timeout.resolve, TimeoutInMillis, 'INTEGRATION_TIMEOUT');
  const outcome = await Promise.race([lambda.invoke(event, trace), timeout.promise]);
  clearTimeout(timer);
  if (outcome === 'INTEGRATION_TIMEOUT') return outcome;
  const { payload, error } = outcome;
  if (payload) return attempt(() => proxyResponse(payload)) ?? 'INTEGRATION_FAILURE';
  return error === tooLarge ? 'REQUEST_TOO_LARGE' : 'INTEGRATION_FAILURE';
}

/** A mock accepts JSON only. A request without a Content-Type counts as JSON. */
function mock(
  { header, extendedRequestId }: GatewayRequest,
  { IntegrationResponses: [response] = [] }: Integration,
): HttpResponse | ResponseType {
  if (!/^application\/json\s*(;|$)/i.test(header('content-type') ?? 'application/json'))
    return 'UNSUPPORTED_MEDIA_TYPE';
  if (!response) return 'DEFAULT_5XX';
  const headers = declaredHeaders(response.ResponseParameters, extendedRequestId);
  return {
    statusCode: Number(response.StatusCode),
    headers: [['Content-Type', 'application/json'], ...headers],
    body: '',
  };
}

/** No template can declare this response: https://github.com/chroma-core/chroma/issues/1458. */
const bodyTooLarge = (): HttpResponse => ({
  statusCode: 413,
  headers: [['Content-Type', 'text/plain']],
  body: `HTTP content length exceeded ${maxPayloadBytes} bytes.`,
});
