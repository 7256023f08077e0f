/**
 * What the emulator makes of a property: it reads it ('read'), or nothing that it answers depends on it ('ignored'), or it knows what to do with
 * these values only (a list) or with text of this form only (a RegExp). An object goes on with its members, an array with its items;
 * `*` stands for the members that are not named.
 */
export type Form = 'read' | 'ignored' | readonly unknown[] | RegExp | { [member: string]: Form };

const header = { 'method.response.header.*': /^('.*'|context\.requestId)$/ } as const;
const templatesByType = { 'application/json': 'read' } as const;

/** The resources that answers depend on, by type, with all that is understood of them. Anything else in the template stops the emulator. */
export const understood: Record<string, Record<string, Form>> = {
  'AWS::DynamoDB::GlobalTable': {
    AttributeDefinitions: 'read',
    KeySchema: 'read',
    BillingMode: 'ignored',
    // A table's own policy could deny what a role allows.
    Replicas: { ResourcePolicy: [], '*': 'ignored' },
    SSESpecification: 'ignored',
    // The functions check expiry themselves: removal by TTL may be days late (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html).
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
      LogFormat: 'read',
      LogGroup: 'read',
      ApplicationLogLevel: 'read',
      SystemLogLevel: 'read',
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
    BinaryMediaTypes: 'read',
    Description: 'ignored',
    // TLS ends in front of the emulator, which speaks HTTP.
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
    // Throttling is a limit on all of a stage's callers: a developer alone does not meet it.
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
    Variables: 'read',
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
      IntegrationResponses: { ResponseParameters: header, StatusCode: 'read' },
      // A mock answers with the one integration response that has no selection pattern, whatever the status in its request template.
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
    ResponseParameters: {
      'gatewayresponse.header.*':
        /^('.*'|context\.[\w.]+|method\.request\.(header|querystring|path)\.[\w-]+|stageVariables\.\w+)$/,
    },
    ResponseTemplates: templatesByType,
    ResponseType: 'read',
    RestApiId: 'ignored',
    StatusCode: 'read',
  },
};

/** The types of resource that no answer depends on. */
export const harmless: ReadonlySet<string> = new Set([
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::Deployment',
  'AWS::CDK::Metadata',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::Logs::MetricFilter',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
]);
