import type { CreateTableInput } from '@aws-sdk/client-dynamodb';
import type { Statement } from '../policy-evaluation.ts';

/** The properties that the emulator reads, with intrinsics resolved, by CloudFormation's names. */
export interface Properties {
  'AWS::DynamoDB::GlobalTable': Table;
  'AWS::Lambda::Function': {
    Code: Code;
    Environment?: { Variables?: Record<string, string> };
    Handler: string;
    LoggingConfig?: { LogFormat?: string; LogGroup?: string; ApplicationLogLevel?: string };
    MemorySize?: number;
    Role: string;
    Runtime: string;
    Timeout?: number;
  };
  'AWS::IAM::Role': { ManagedPolicyArns?: string[] };
  'AWS::IAM::Policy': { PolicyDocument: { Statement: Statement | Statement[] }; Roles: string[] };
  'AWS::ApiGateway::RestApi': object;
  'AWS::ApiGateway::Stage': { DeploymentId: string; StageName: string };
  'AWS::ApiGateway::Resource': { ParentId: string; PathPart: string };
  'AWS::ApiGateway::Method': {
    AuthorizationType: string;
    AuthorizerId?: string;
    HttpMethod: string;
    ResourceId: string;
    Integration: Integration;
  };
  'AWS::ApiGateway::Authorizer': {
    AuthorizerResultTtlInSeconds?: number;
    AuthorizerUri: string;
    IdentitySource: string;
    IdentityValidationExpression?: string;
  };
  'AWS::ApiGateway::GatewayResponse': {
    ResponseParameters?: Record<string, string>;
    ResponseTemplates?: Record<string, string>;
    ResponseType: string;
    StatusCode?: string;
  };
}

/** An asset's key, or the code itself. */
export type Code = { S3Key?: string; ZipFile?: string };

export type Table = Pick<
  CreateTableInput,
  'AttributeDefinitions' | 'GlobalSecondaryIndexes' | 'KeySchema' | 'LocalSecondaryIndexes'
>;

export interface Integration {
  IntegrationResponses?: { ResponseParameters?: Record<string, string>; StatusCode: string }[];
  TimeoutInMillis?: number;
  Type: 'AWS_PROXY' | 'MOCK';
  Uri?: string;
}
