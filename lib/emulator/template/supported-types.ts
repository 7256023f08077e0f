/**
 * A rule for a property: the emulator reads it ('read'), or none of its answers depends on it
 * ('ignored'), or it supports only these values (a list) or only text of this form (a RegExp). For
 * an object the rule names the members, for an array those of its items. `*` stands for the members
 * that are not named.
 */
export type PropertyRule =
  | 'read'
  | 'ignored'
  | readonly unknown[]
  | RegExp
  | { [member: string]: PropertyRule };

const ignored = (...properties: string[]): Record<string, PropertyRule> =>
  Object.fromEntries(properties.map((property) => [property, 'ignored']));

/** A quoted literal, or the request id. */
const headerValue = /^('.*'|context\.extendedRequestId)$/;

/** The types of resource that answers depend on. Every other property stops the emulator. */
export const supportedTypes: Record<string, Record<string, PropertyRule>> = {
  'AWS::DynamoDB::GlobalTable': {
    AttributeDefinitions: 'read',
    KeySchema: 'read',
    ...ignored('BillingMode', 'SSESpecification', 'WriteOnDemandThroughputSettings'),
    // A policy of the table itself could deny what a role allows.
    Replicas: { ResourcePolicy: [], '*': 'ignored' },
    // The functions check expiry themselves, because TTL may remove items days late:
    // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
    TimeToLiveSpecification: 'ignored',
  },
  'AWS::Lambda::Function': {
    ...ignored('Architectures', 'Description', 'Tags', 'TracingConfig'),
    Code: { S3Bucket: 'ignored', S3Key: 'read' },
    Environment: { Variables: 'read' },
    Handler: /^[\w-]+\.\w+$/,
    LoggingConfig: {
      LogFormat: ['JSON'],
      LogGroup: 'read',
      ApplicationLogLevel: 'read',
      SystemLogLevel: ['INFO'],
    },
    MemorySize: 'read',
    Role: /^arn:aws:iam::\d{12}:role\/\w+$/,
    Runtime: ['nodejs24.x'],
    Timeout: 'read',
  },
  'AWS::IAM::Role': ignored('AssumeRolePolicyDocument', 'Description', 'Tags'),
  'AWS::IAM::Policy': {
    PolicyDocument: {
      Version: ['2012-10-17'],
      Statement: {
        Action: 'read',
        Effect: ['Allow', 'Deny'],
        // A `$` would begin a policy variable.
        Resource: /^[^$]+$/,
        Sid: 'ignored',
      },
    },
    PolicyName: 'ignored',
    Roles: 'read',
  },
  'AWS::ApiGateway::RestApi': {
    ...ignored('Description', 'Name', 'SecurityPolicy', 'Tags'),
    // The emulator speaks HTTP, so that it has nothing to do with TLS.
    EndpointAccessMode: 'ignored',
    EndpointConfiguration: { Types: ['REGIONAL'] },
  },
  'AWS::ApiGateway::Stage': {
    ...ignored('AccessLogSetting', 'Description', 'RestApiId', 'Tags', 'TracingEnabled'),
    DeploymentId: 'read',
    MethodSettings: {
      CachingEnabled: [false],
      ...ignored('DataTraceEnabled', 'HttpMethod', 'LoggingLevel', 'MetricsEnabled'),
      // A developer alone does not reach the throttling limits.
      ...ignored('ResourcePath', 'ThrottlingBurstLimit', 'ThrottlingRateLimit'),
    },
    StageName: 'read',
  },
  'AWS::ApiGateway::Resource': {
    ParentId: 'read',
    PathPart: /^(\{\w+\}|[\w.:-]+)$/,
    RestApiId: 'ignored',
  },
  'AWS::ApiGateway::Method': {
    ApiKeyRequired: [false],
    AuthorizationType: ['CUSTOM', 'NONE'],
    AuthorizerId: 'read',
    HttpMethod: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'],
    Integration: {
      IntegrationHttpMethod: ['POST'],
      IntegrationResponses: {
        ResponseParameters: { 'method.response.header.*': headerValue },
        StatusCode: 'read',
      },
      // A mock answers with the one integration response that has no selection pattern, whatever
      // the status in its request template is.
      RequestTemplates: { 'application/json': ['{ statusCode: 200 }'] },
      TimeoutInMillis: 'read',
      Type: ['AWS_PROXY', 'MOCK'],
      Uri: 'read',
    },
    ResourceId: 'read',
    ...ignored('MethodResponses', 'OperationName', 'RestApiId'),
  },
  'AWS::ApiGateway::Authorizer': {
    AuthorizerResultTtlInSeconds: 'read',
    AuthorizerUri: 'read',
    IdentitySource: /^method\.request\.header\.[\w-]+$/,
    IdentityValidationExpression: 'read',
    Name: 'ignored',
    RestApiId: 'ignored',
    Type: ['TOKEN'],
  },
  'AWS::ApiGateway::GatewayResponse': {
    ResponseParameters: { 'gatewayresponse.header.*': headerValue },
    // Text with no reference but to the request id.
    ResponseTemplates: { 'application/json': /^(?:[^$]|\$context\.extendedRequestId)*$/ },
    ResponseType: 'read',
    RestApiId: 'ignored',
    StatusCode: 'read',
  },
};

/** The types of resource that no answer depends on. */
export const ignoredTypes: ReadonlySet<string> = new Set([
  'AWS::ApiGateway::Deployment',
  'AWS::Budgets::Budget',
  'AWS::CDK::Metadata',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::Logs::MetricFilter',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
]);
