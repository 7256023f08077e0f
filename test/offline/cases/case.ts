import { expect } from '@jest/globals';
import type { Request } from '../../support/http/http-client.ts';

const guide = 'https://docs.aws.amazon.com/apigateway/latest/developerguide';
const proxy = `${guide}/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda`;
const lambda = 'https://docs.aws.amazon.com/lambda/latest/dg';
const github = 'https://github.com';

/** Where it is said how API Gateway and Lambda behave. */
const sources = {
  input: `${proxy}-input-format`,
  output: `${proxy}-output-format`,
  notes: `${guide}/api-gateway-known-issues.html`,
  encodings: `${guide}/api-gateway-payload-encodings-workflow.html`,
  variables: `${guide}/api-gateway-mapping-template-reference.html#context-variable-reference`,
  responseTypes: `${guide}/supported-gateway-response-types.html`,
  responses: `${guide}/api-gateway-gatewayResponse-definition.html`,
  authorizers: `${guide}/apigateway-use-lambda-authorizer.html`,
  tokenConfiguration: `${guide}/configure-api-gateway-lambda-authorization.html`,
  policies: `${guide}/api-gateway-lambda-authorizer-output.html`,
  wildcards: `${guide}/api-gateway-control-access-using-iam-policies-to-invoke-api.html`,
  cors: `${guide}/how-to-cors.html`,
  limits: `${guide}/api-gateway-execution-service-limits-table.html`,
  methods: `${guide}/api-gateway-method-settings-method-request.html`,
  stages: `${guide}/set-up-stages.html`,
  lambdaErrors: `${lambda}/services-apigateway-errors.html`,
  lambdaLimits: `${lambda}/gettingstarted-limits.html`,
  // Recorded answers of the real service, where its documentation is silent or differs.
  recorded: `${github}/localstack/localstack/blob/main/tests/aws/services/apigateway/test_apigateway_lambda.snapshot.json`,
  undecodedPath: `${github}/aws/aws-sam-cli/issues/771`,
  trailingSlash: `${github}/aws-powertools/powertools-lambda-python/issues/1552`,
  authorizerThrew: `${github}/auth0-samples/jwt-rsa-aws-custom-authorizer/pull/6`,
  bodyTooLarge: `${github}/chroma-core/chroma/issues/1458`,
  bearerUnknown: `${github}/DataBiosphere/azul/issues/7470`,
};
export type Source = keyof typeof sources;

/** A request to the fixture stack, what it should lead to, and the source for that. */
export interface Case {
  it: string;
  from: string;
  request: Request;
  /** Members of the function's event. Null means that the member is missing. */
  event?: Members;
  answer?: Expected;
}
export type Members = Record<string, unknown>;
/** Parts of an answer. Null means that the header is missing. */
export type Expected = { status?: number; headers?: Members; body?: unknown };

/** Returns a request without a body to a target like `GET /v1/echo`. */
export function to(target: string, ...headers: string[]): Request {
  const [method = '', path = ''] = target.split(' ');
  return { method, path, headers };
}
export const post = (path: string, body: string | Buffer, ...headers: string[]): Request => ({
  ...to(`POST ${path}`, ...headers),
  body,
});

/** A target, or a whole request. */
type Given = string | Request;
const requestOf = (given: Given) => (typeof given === 'string' ? to(given) : given);
export function event(it: string, from: Source, given: Given, event: Members): Case {
  return { it, from: sources[from], request: requestOf(given), event };
}
export function answer(it: string, from: Source, given: Given, answer: Expected): Case {
  return { it, from: sources[from], request: requestOf(given), answer };
}
export const errorType = (type: string) => ({ 'x-amzn-errortype': `${type}Exception` });
export const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
