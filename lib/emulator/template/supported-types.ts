/** Tells whether the emulator supports a value. */
type Check = (value: unknown) => boolean;

/**
 * A rule for a property: a check of its value, or of each item of a list; the rules of its members,
 * or of those of its items; or `ignored`, because no answer depends on it. `*` stands for the
 * members that are not named.
 */
export type PropertyRule = Check | PropertyRules | 'ignored';
export interface PropertyRules {
  [member: string]: PropertyRule;
}

const read: Check = () => true;
const never: Check = () => false;
const only =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);
const like =
  (form: RegExp): Check =>
  (value) =>
    form.test(String(value));
const ignored = (...properties: string[]): PropertyRules =>
  Object.fromEntries(properties.map((property) => [property, 'ignored']));

/** A quoted literal, or the request id. */
const headerValue = like(/^('.*'|context\.extendedRequestId)$/);

/** The types of resource that answers depend on. Every other property stops the emulator. */
export const supportedTypes: Record<string, PropertyRules> = {
  'AWS::DynamoDB::GlobalTable': {
    AttributeDefinitions: read,
    KeySchema: read,
    ...ignored('BillingMode', 'SSESpecification', 'WriteOnDemandThroughputSettings'),
    // A policy of the table itself could deny what a role allows.
    Replicas: { ResourcePolicy: never, '*': 'ignored' },
    // The functions check expiry themselves, because TTL may remove items days late:
    // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
    TimeToLiveSpecification: 'ignored',
  },
  'AWS::Lambda::Function': {
    ...ignored('Architectures', 'Description', 'Tags', 'TracingConfig'),
    Code: { S3Bucket: 'ignored', S3Key: read },
    Environment: { Variables: read },
    Handler: like(/^[\w-]+\.\w+$/),
    LoggingConfig: {
      LogFormat: only('JSON'),
      LogGroup: read,
      ApplicationLogLevel: read,
      SystemLogLevel: only('INFO'),
    },
    MemorySize: read,
    Role: like(/^arn:aws:iam::\d{12}:role\/\w+$/),
    Runtime: only('nodejs24.x'),
    Timeout: read,
  },
  'AWS::IAM::Role': ignored('AssumeRolePolicyDocument', 'Description', 'Tags'),
  'AWS::IAM::Policy': {
    PolicyDocument: {
      Version: only('2012-10-17'),
      Statement: {
        Action: read,
        Effect: only('Allow', 'Deny'),
        // A `$` would begin a policy variable.
        Resource: like(/^[^$]+$/),
        Sid: 'ignored',
      },
    },
    PolicyName: 'ignored',
    Roles: read,
  },
  'AWS::ApiGateway::RestApi': {
    ...ignored('Description', 'DisableExecuteApiEndpoint', 'Name', 'SecurityPolicy', 'Tags'),
    // The emulator speaks HTTP, so that it has nothing to do with TLS.
    EndpointAccessMode: 'ignored',
    EndpointConfiguration: { Types: only('REGIONAL') },
  },
  'AWS::ApiGateway::Stage': {
    ...ignored('AccessLogSetting', 'Description', 'RestApiId', 'Tags', 'TracingEnabled'),
    DeploymentId: read,
    MethodSettings: {
      CachingEnabled: only(false),
      ...ignored('DataTraceEnabled', 'HttpMethod', 'LoggingLevel', 'MetricsEnabled'),
      // A developer alone does not reach the throttling limits.
      ...ignored('ResourcePath', 'ThrottlingBurstLimit', 'ThrottlingRateLimit'),
    },
    StageName: read,
  },
  'AWS::ApiGateway::Resource': {
    ParentId: read,
    PathPart: like(/^(\{\w+\}|[\w.:-]+)$/),
    RestApiId: 'ignored',
  },
  'AWS::ApiGateway::Method': {
    ApiKeyRequired: only(false),
    AuthorizationType: only('CUSTOM', 'NONE'),
    AuthorizerId: read,
    HttpMethod: only('DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'),
    Integration: {
      IntegrationHttpMethod: only('POST'),
      IntegrationResponses: {
        ResponseParameters: { 'method.response.header.*': headerValue },
        StatusCode: read,
      },
      // A mock answers with the one integration response that has no selection pattern, whatever
      // the status in its request template is.
      RequestTemplates: { 'application/json': only('{ statusCode: 200 }') },
      TimeoutInMillis: read,
      Type: only('AWS_PROXY', 'MOCK'),
      Uri: read,
    },
    ResourceId: read,
    ...ignored('MethodResponses', 'OperationName', 'RestApiId'),
  },
  'AWS::ApiGateway::Authorizer': {
    AuthorizerResultTtlInSeconds: read,
    AuthorizerUri: read,
    IdentitySource: like(/^method\.request\.header\.[\w-]+$/),
    IdentityValidationExpression: read,
    Name: 'ignored',
    RestApiId: 'ignored',
    Type: only('TOKEN'),
  },
  'AWS::ApiGateway::GatewayResponse': {
    ResponseParameters: { 'gatewayresponse.header.*': headerValue },
    // Text with no reference but to the request id.
    ResponseTemplates: { 'application/json': like(/^(?:[^$]|\$context\.extendedRequestId)*$/) },
    ResponseType: read,
    RestApiId: 'ignored',
    StatusCode: read,
  },
};

/** The types of resource that no answer depends on. */
export const ignoredTypes: ReadonlySet<string> = new Set([
  'AWS::ApiGateway::BasePathMapping',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::DomainName',
  'AWS::Budgets::Budget',
  'AWS::CDK::Metadata',
  'AWS::CertificateManager::Certificate',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::Logs::MetricFilter',
  'AWS::Route53::RecordSet',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
]);
