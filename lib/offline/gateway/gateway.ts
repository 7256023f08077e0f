import { attempt } from '../attempt.ts';
import { type FunctionPool, tooLarge } from '../lambda/function-pool.ts';
import type { Integration } from '../template/properties.ts';
import { accountId, region } from '../template/resource-values.ts';
import type { Template } from '../template/template.ts';
import type { Trace } from '../trace.ts';
import {
  declaredHeaders,
  gatewayResponse,
  type Refusal,
  type ResponseType,
} from './error-responses.ts';
import { proxyEvent } from './proxy-event.ts';
import { proxyResponse } from './proxy-response.ts';
import {
  type GatewayRequest,
  type HttpRequest,
  type HttpResponse,
  readRequest,
} from './request.ts';
import { findRoute, type MatchedRoute, type Pools, readRoutes } from './routes.ts';
import type { AuthorizerContext } from './token-authorizer.ts';

/**
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
export const maxPayloadBytes = 10 * 1024 * 1024;
const maxTimeoutInMillis = 29_000;

export interface Gateway {
  stageName: string;
  /** Answers a request, and notes in the trace what happens to it. */
  answer(request: HttpRequest, trace: Trace): Promise<HttpResponse>;
}

/**
 * Returns the REST API of a template. Throws if it lacks a stage or a function of the API.
 * `timeoutMs` takes the place of the integrations' timeouts.
 */
export function restApi(template: Template, pools: Pools, timeoutMs?: number): Gateway {
  const [apiId = ''] = template.of('AWS::ApiGateway::RestApi').keys();
  const [deployed] = template.of('AWS::ApiGateway::Stage').values();
  if (!deployed) {
    throw new Error(`The template has no stage of the API ${apiId}. Add one to it.`);
  }
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
    if (request.body.length > maxPayloadBytes) {
      return bodyTooLarge();
    }
    if (request.stage !== stage) {
      return gatewayResponse('FORBIDDEN', [], extendedRequestId);
    }

    const refuse = (type: ResponseType) => gatewayResponse(type, declared, extendedRequestId);
    const route = findRoute(routes, httpMethod, path);
    if (!route) {
      // https://github.com/DataBiosphere/azul/issues/7470: a deployed API logged this type.
      return refuse(header('authorization') ? 'DEFAULT_4XX' : 'MISSING_AUTHENTICATION_TOKEN');
    }
    trace.resourcePath = route.resourcePath;

    const methodArn = `${apiArn}/${stage}/${httpMethod}${path}`;
    const verdict = await route.authorize?.(header, methodArn, trace);
    if (verdict && 'refused' in verdict) {
      return refuse(verdict.refused);
    }

    const response = await integrate(request, route, verdict?.allowed, trace);
    return 'refused' in response ? refuse(response.refused) : response;
  }

  /** Answers by the function of a route, or as its mock integration says. */
  async function integrate(
    request: GatewayRequest,
    route: MatchedRoute,
    caller: AuthorizerContext | undefined,
    trace: Trace,
  ): Promise<HttpResponse | Refusal> {
    const { lambda, integration } = route;
    if (!lambda) {
      return mock(request, integration);
    }
    const event = proxyEvent(request, api, route, caller);
    const integrationMs = timeoutMs ?? integration.TimeoutInMillis ?? maxTimeoutInMillis;
    return invoke(lambda, event, integrationMs, trace);
  }

  return { stageName: stage, answer };
}

async function invoke(
  lambda: FunctionPool,
  event: object,
  timeoutMs: number,
  trace: Trace,
): Promise<HttpResponse | Refusal> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), timeoutMs);
  const outcome = await Promise.race([lambda.invoke(event, trace), timeout.promise]);
  clearTimeout(timer);
  if (!outcome) {
    return { refused: 'INTEGRATION_TIMEOUT' };
  }
  const { payload, error } = outcome;
  if (error === tooLarge) {
    return { refused: 'REQUEST_TOO_LARGE' };
  }
  const response = payload ? attempt(() => proxyResponse(payload)) : undefined;
  return response ?? { refused: 'INTEGRATION_FAILURE' };
}

/** A mock accepts JSON only. A request without a Content-Type counts as JSON. */
function mock(
  { header, extendedRequestId }: GatewayRequest,
  { IntegrationResponses: [response] = [] }: Integration,
): HttpResponse | Refusal {
  if (!/^application\/json\s*(;|$)/i.test(header('content-type') ?? 'application/json')) {
    return { refused: 'UNSUPPORTED_MEDIA_TYPE' };
  }
  if (!response) {
    return { refused: 'DEFAULT_5XX' };
  }
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
