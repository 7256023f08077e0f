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

/** A quoted literal, or the request id. */
const headerValue = /^('.*'|context\.extendedRequestId)$/;

/** The types of resource that answers depend on. Every other property stops the emulator. */
export const supportedTypes: Record<string, Record<string, PropertyRule>> = {
  'AWS::DynamoDB::GlobalTable': {
    AttributeDefinitions: 'read',
    KeySchema: 'read',
    BillingMode: 'ignored',
    // A policy of the table itself could deny what a role allows.
    Replicas: { ResourcePolicy: [], '*': 'ignored' },
    SSESpecification: 'ignored',
    // The functions check expiry themselves, because TTL may remove items days late:
    // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html
    TimeToLiveSpecification: 'ignored',
    WriteOnDemandThroughputSettings: 'ignored',
  },
  'AWS::Lambda::Function': {
    Architectures: 'ignored',
    Code: { S3Bucket: 'ignored', S3Key: 'read' },
    Description: 'ignored',
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
    Tags: 'ignored',
    Timeout: 'read',
    TracingConfig: 'ignored',
  },
  'AWS::IAM::Role': {
    AssumeRolePolicyDocument: 'ignored',
    Description: 'ignored',
    Tags: 'ignored',
  },
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
    Description: 'ignored',
    // The emulator speaks HTTP, so that it has nothing to do with TLS.
    EndpointAccessMode: 'ignored',
    EndpointConfiguration: { Types: ['REGIONAL'] },
    Name: 'ignored',
    SecurityPolicy: 'ignored',
    Tags: 'ignored',
  },
  'AWS::ApiGateway::Stage': {
    AccessLogSetting: 'ignored',
    DeploymentId: 'read',
    Description: 'ignored',
    // A developer alone does not reach the throttling limits.
    MethodSettings: {
      CachingEnabled: [false],
      DataTraceEnabled: 'ignored',
      HttpMethod: 'ignored',
      LoggingLevel: 'ignored',
      MetricsEnabled: 'ignored',
      ResourcePath: 'ignored',
      ThrottlingBurstLimit: 'ignored',
      ThrottlingRateLimit: 'ignored',
    },
    RestApiId: 'ignored',
    StageName: 'read',
    Tags: 'ignored',
    TracingEnabled: 'ignored',
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
    MethodResponses: 'ignored',
    OperationName: 'ignored',
    ResourceId: 'read',
    RestApiId: 'ignored',
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
