/** Says which values the emulator supports, for a property's value or each item of a list. */
export interface ValueRule {
  kind: 'value';
  allows(value: unknown): boolean;
  /** Describes the values to people, if there are few. */
  says?: string;
}

/** Has the rules for the members of a property, or for those of each item of a list. */
export interface MembersRule {
  kind: 'members';
  members: PropertyRules;
}

/**
 * A rule for a property. No answer depends on one that is ignored. Only a deployment's answers
 * could depend on one that is left out, so the start names it.
 */
export type PropertyRule = ValueRule | MembersRule | { kind: 'ignored' } | { kind: 'left out' };

/** Rules by the names of properties. `*` stands for those that are not named. */
export interface PropertyRules {
  [member: string]: PropertyRule;
}

const ignoredRule: PropertyRule = { kind: 'ignored' };
const leftOut: PropertyRule = { kind: 'left out' };
const read: PropertyRule = { kind: 'value', allows: () => true };
const members = (rules: PropertyRules): PropertyRule => ({ kind: 'members', members: rules });
const only = (...values: unknown[]): PropertyRule => ({
  kind: 'value',
  allows: (value) => values.includes(value),
  says: values.join(', ') || 'none',
});
const like = (form: RegExp): PropertyRule => ({
  kind: 'value',
  allows: (value) => form.test(String(value)),
});
const words = (text: string) => text.trim().split(/\s+/);
const each =
  (rule: PropertyRule) =>
  (properties: string): PropertyRules =>
    Object.fromEntries(words(properties).map((property) => [property, rule]));
const reads = each(read);
const ignored = each(ignoredRule);

/** A quoted literal, or the request id. */
const headerValue = like(/^('.*'|context\.extendedRequestId)$/);
const index = members({ ...reads('IndexName KeySchema Projection'), '*': ignoredRule });

/** The types of resource that answers depend on. Every other property stops the emulator. */
export const supportedTypes = {
  // AWS::DynamoDB::Table is read as this type too.
  'AWS::DynamoDB::GlobalTable': {
    AttributeDefinitions: read,
    GlobalSecondaryIndexes: index,
    KeySchema: read,
    LocalSecondaryIndexes: index,
    // A policy of the table itself could deny what a role allows.
    Replicas: members({ ResourcePolicy: only(), '*': ignoredRule }),
    ImportSourceSpecification: leftOut,
    // Functions check expiry themselves, and their environment has the names of tables.
    ...ignored(`
      BillingMode ContributorInsightsSpecification DeletionProtectionEnabled GlobalTableWitnesses
      KinesisStreamSpecification MultiRegionConsistency OnDemandThroughput
      PointInTimeRecoverySpecification ProvisionedThroughput ReadOnDemandThroughputSettings
      ReadProvisionedThroughputSettings SSESpecification StreamSpecification
      TableClass TableName Tags TimeToLiveSpecification WarmThroughput
      WriteOnDemandThroughputSettings WriteProvisionedThroughputSettings
    `),
  },
  'AWS::Lambda::Function': {
    ...ignored(`
      Architectures CodeSigningConfigArn DeadLetterConfig Description EphemeralStorage
      FunctionName KmsKeyArn RecursiveLoop ReservedConcurrentExecutions RuntimeManagementConfig
      SnapStart Tags TracingConfig
    `),
    VpcConfig: leftOut,
    Code: members({
      ...reads('S3Key ZipFile'),
      ...ignored('S3Bucket S3ObjectVersion SourceKMSKeyArn'),
    }),
    Environment: members({ Variables: read }),
    Handler: like(/^[\w-]+\.\w+$/),
    LoggingConfig: members({
      LogFormat: only('JSON', 'Text'),
      ...reads('LogGroup ApplicationLogLevel'),
      SystemLogLevel: only('INFO'),
    }),
    MemorySize: read,
    PackageType: only('Zip'),
    Role: like(/^arn:aws:iam::\d{12}:role\/\w+$/),
    Runtime: like(/^nodejs\d+\.x$/),
    Timeout: read,
  },
  'AWS::IAM::Role': {
    ...ignored('AssumeRolePolicyDocument Description MaxSessionDuration Path RoleName Tags'),
    ManagedPolicyArns: read,
    // Each is read as an AWS::IAM::Policy.
    Policies: members({ '*': ignoredRule }),
  },
  'AWS::IAM::Policy': {
    PolicyDocument: members({
      Version: only('2012-10-17'),
      // Only statements that can be about DynamoDB are read.
      Statement: members({
        Action: read,
        Effect: only('Allow', 'Deny'),
        // A `$` would begin a policy variable.
        Resource: like(/^[^$]+$/),
        Sid: ignoredRule,
      }),
    }),
    // Only the role's statements are read, so other users of the policy do not matter.
    ...ignored('Description Groups ManagedPolicyName Path PolicyName RoleName Users'),
    Roles: read,
  },
  'AWS::ApiGateway::RestApi': {
    ...ignored(`
      ApiKeySourceType Description DisableExecuteApiEndpoint EndpointAccessMode Name SecurityPolicy
      Tags
    `),
    EndpointConfiguration: members({ IpAddressType: ignoredRule, Types: only('REGIONAL') }),
  },
  'AWS::ApiGateway::Stage': {
    ...ignored(`
      AccessLogSetting CacheClusterEnabled CacheClusterSize ClientCertificateId Description
      DocumentationVersion RestApiId Tags TracingEnabled
    `),
    DeploymentId: read,
    MethodSettings: members({
      CachingEnabled: only(false),
      // Logs, and throttling limits, which a developer alone does not reach.
      '*': ignoredRule,
    }),
    StageName: read,
  },
  'AWS::ApiGateway::Resource': {
    ParentId: read,
    PathPart: like(/^(\{\w+\}|[\w.:-]+)$/),
    RestApiId: ignoredRule,
  },
  'AWS::ApiGateway::Method': {
    ApiKeyRequired: only(false),
    AuthorizationType: only('CUSTOM', 'NONE'),
    AuthorizerId: read,
    HttpMethod: only('DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'),
    Integration: members({
      ...ignored('CacheKeyParameters CacheNamespace Credentials'),
      IntegrationHttpMethod: only('POST'),
      IntegrationResponses: members({
        ResponseParameters: members({ 'method.response.header.*': headerValue }),
        StatusCode: read,
      }),
      // A mock answers with the one integration response that has no selection pattern, whatever
      // the status in its request template is.
      RequestTemplates: members({ 'application/json': only('{ statusCode: 200 }') }),
      TimeoutInMillis: read,
      Type: only('AWS_PROXY', 'MOCK'),
      Uri: read,
    }),
    ResourceId: read,
    ...ignored('MethodResponses OperationName RequestModels RequestParameters RestApiId'),
  },
  'AWS::ApiGateway::Authorizer': {
    ...reads('AuthorizerResultTtlInSeconds AuthorizerUri IdentityValidationExpression'),
    ...ignored('AuthorizerCredentials AuthType Name RestApiId'),
    IdentitySource: like(/^method\.request\.header\.[\w-]+$/),
    Type: only('TOKEN'),
  },
  'AWS::ApiGateway::GatewayResponse': {
    ResponseParameters: members({ 'gatewayresponse.header.*': headerValue }),
    // Text with no reference but to the request id.
    ResponseTemplates: members({
      'application/json': like(/^(?:[^$]|\$context\.extendedRequestId)*$/),
    }),
    ResponseType: read,
    RestApiId: ignoredRule,
    StatusCode: read,
  },
} satisfies Record<string, PropertyRules>;
export type SupportedType = keyof typeof supportedTypes;

/** Types that only observe, permit or configure another resource. The start does not name them. */
export const quietTypes = [
  /^AWS::ApiGateway::Deployment$/,
  /^AWS::Budgets::\w+$/,
  /^AWS::CDK::Metadata$/,
  /^AWS::CloudWatch::\w+$/,
  /^AWS::IAM::\w+$/,
  /^AWS::Lambda::(Alias|Permission|Version)$/,
  /^AWS::Logs::(LogGroup|MetricFilter)$/,
  /^AWS::XRay::\w+$/,
  /^AWS::\w+::\w+Policy$/,
];

/**
 * AWS's managed policies that cannot touch DynamoDB, by name.
 * https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html
 */
export const managedPolicies: ReadonlySet<string> = new Set(
  words(`
    AmazonBedrockFullAccess AmazonS3FullAccess AmazonS3ReadOnlyAccess AmazonSESFullAccess
    AmazonSNSFullAccess AmazonSQSFullAccess AmazonSSMReadOnlyAccess AWSLambdaBasicExecutionRole
    AWSLambdaENIManagementAccess AWSLambdaKinesisExecutionRole AWSLambdaSQSQueueExecutionRole
    AWSLambdaVPCAccessExecutionRole AWSXRayDaemonWriteAccess AWSXrayWriteOnlyAccess
    CloudWatchLambdaInsightsExecutionRolePolicy CloudWatchLogsFullAccess SecretsManagerReadWrite
  `),
);
