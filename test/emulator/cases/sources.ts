const guide = 'https://docs.aws.amazon.com/apigateway/latest/developerguide';
const proxy = `${guide}/set-up-lambda-proxy-integrations.html`;
const input = `${proxy}#api-gateway-simple-proxy-for-lambda-input-format`;
const output = `${proxy}#api-gateway-simple-proxy-for-lambda-output-format`;
const notes = `${guide}/api-gateway-known-issues.html`;
const encodings = `${guide}/api-gateway-payload-encodings-workflow.html`;
const variables = `${guide}/api-gateway-mapping-template-reference.html#context-variable-reference`;
const responseTypes = `${guide}/supported-gateway-response-types.html`;
const responses = `${guide}/api-gateway-gatewayResponse-definition.html`;
const authorizers = `${guide}/apigateway-use-lambda-authorizer.html`;
const tokenConfiguration = `${guide}/configure-api-gateway-lambda-authorization.html`;
const policies = `${guide}/api-gateway-lambda-authorizer-output.html`;
const wildcards = `${guide}/api-gateway-control-access-using-iam-policies-to-invoke-api.html`;
const cors = `${guide}/how-to-cors.html`;
const limits = `${guide}/api-gateway-execution-service-limits-table.html`;
const methods = `${guide}/api-gateway-method-settings-method-request.html`;
const stages = `${guide}/set-up-stages.html`;
const lambdaErrors = 'https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway-errors.html';
const lambdaLimits = 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html';
// Recorded answers of the real service, where its documentation is silent or differs.
const recorded =
  'https://github.com/localstack/localstack/blob/main/tests/aws/services/apigateway/test_apigateway_lambda.snapshot.json';
const undecodedPath = 'https://github.com/aws/aws-sam-cli/issues/771';
const trailingSlash = 'https://github.com/aws-powertools/powertools-lambda-python/issues/1552';
const authorizerThrew = 'https://github.com/auth0-samples/jwt-rsa-aws-custom-authorizer/pull/6';
const bodyTooLarge = 'https://github.com/chroma-core/chroma/issues/1458';
const bearerUnknown = 'https://github.com/DataBiosphere/azul/issues/7470';

export {
  authorizers,
  authorizerThrew,
  bearerUnknown,
  bodyTooLarge,
  cors,
  encodings,
  input,
  lambdaErrors,
  lambdaLimits,
  limits,
  methods,
  notes,
  output,
  policies,
  recorded,
  responses,
  responseTypes,
  stages,
  tokenConfiguration,
  trailingSlash,
  undecodedPath,
  variables,
  wildcards,
};
