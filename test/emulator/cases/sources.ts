const guide = 'https://docs.aws.amazon.com/apigateway/latest/developerguide';
const proxy = `${guide}/set-up-lambda-proxy-integrations.html`;
export const input = `${proxy}#api-gateway-simple-proxy-for-lambda-input-format`;
export const output = `${proxy}#api-gateway-simple-proxy-for-lambda-output-format`;
export const notes = `${guide}/api-gateway-known-issues.html`;
export const encodings = `${guide}/api-gateway-payload-encodings-workflow.html`;
const mapping = `${guide}/api-gateway-mapping-template-reference.html`;
export const variables = `${mapping}#context-variable-reference`;
export const responseTypes = `${guide}/supported-gateway-response-types.html`;
export const responses = `${guide}/api-gateway-gatewayResponse-definition.html`;
export const authorizers = `${guide}/apigateway-use-lambda-authorizer.html`;
export const tokenConfiguration = `${guide}/configure-api-gateway-lambda-authorization.html`;
export const policies = `${guide}/api-gateway-lambda-authorizer-output.html`;
const control = `${guide}/api-gateway-control-access`;
export const wildcards = `${control}-using-iam-policies-to-invoke-api.html`;
export const cors = `${guide}/how-to-cors.html`;
export const limits = `${guide}/api-gateway-execution-service-limits-table.html`;
export const methods = `${guide}/api-gateway-method-settings-method-request.html`;
export const stages = `${guide}/set-up-stages.html`;
export const lambdaErrors =
  'https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway-errors.html';
export const lambdaLimits =
  'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html';
// Recorded answers of the real service, where its documentation is silent or differs.
export const recorded =
  'https://github.com/localstack/localstack/blob/main/tests/aws/services/apigateway/test_apigateway_lambda.snapshot.json';
export const undecodedPath = 'https://github.com/aws/aws-sam-cli/issues/771';
export const trailingSlash =
  'https://github.com/aws-powertools/powertools-lambda-python/issues/1552';
export const authorizerThrew =
  'https://github.com/auth0-samples/jwt-rsa-aws-custom-authorizer/pull/6';
export const bodyTooLarge = 'https://github.com/chroma-core/chroma/issues/1458';
export const bearerUnknown = 'https://github.com/DataBiosphere/azul/issues/7470';
