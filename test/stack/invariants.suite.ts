import { describe, expect, test } from '@jest/globals';
import { operations } from '../../functions/shared/operations.ts';
import { joinText } from './short-form.ts';
import { findProperties, templates } from './templates.ts';

// What no update of a snapshot may change by accident, over every resource of its kind.

type Json = ReturnType<typeof JSON.parse>;

/** One for each operation, and the authorizer. */
const functionCount = Object.keys(operations).length + 1;

const groups = [
  { group: 'default', isKept: true, architecture: 'arm64' },
  { group: 'everything', isKept: true, architecture: 'x86_64' },
  { group: 'throwaway', isKept: false, architecture: 'arm64' },
] as const;

describe.each(groups)('with the settings $group', ({ group, isKept, architecture }) => {
  const template = templates[group];
  const resources: Json[] = Object.values(template.Resources);
  const typeOf = (reference: Json) => template.Resources[reference.Ref]?.Type;

  test('tables outlive the stack, keep deleted and damaged data, and are billed by request alone', () => {
    const tables = resources.filter(({ Type }) => Type.startsWith('AWS::DynamoDB::'));
    const types = tables.map(({ Type }) => Type);
    expect(types).toEqual(['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::GlobalTable']);
    for (const table of tables) {
      const policy = isKept ? 'Retain' : 'Delete';
      expect(table).toMatchObject({ DeletionPolicy: policy, UpdateReplacePolicy: policy });
      expect(table.Properties).toMatchObject({
        BillingMode: 'PAY_PER_REQUEST',
        SSESpecification: { SSEEnabled: false },
        Replicas: [
          {
            DeletionProtectionEnabled: isKept,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          },
        ],
      });
      expect(table.Properties).not.toHaveProperty('TimeToLiveSpecification');
    }
    // The role belongs to the account, whose other APIs log with it.
    const logs = group === 'everything' ? ['AWS::IAM::Role', 'AWS::ApiGateway::Account'] : [];
    const kept = resources.filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain');
    expect(kept.map(({ Type }) => Type)).toEqual([...(isKept ? types : []), ...logs]);
  });

  test('tables have their keys', () => {
    const keys = findProperties(template, 'AWS::DynamoDB::GlobalTable').map((table) => {
      const types = table.AttributeDefinitions.map((one: Json) => Object.values(one));
      return table.KeySchema.map(({ AttributeName, KeyType }: Json) =>
        [AttributeName, Object.fromEntries(types)[AttributeName], KeyType].join(' '),
      );
    });
    expect(keys).toEqual([['owner S HASH', 'id N RANGE'], ['id S HASH']]);
  });

  test('functions have memory, a timeout, a log group, and no reserved concurrency', () => {
    const functions = findProperties(template, 'AWS::Lambda::Function');
    expect(functions).toHaveLength(functionCount);
    for (const properties of functions) {
      expect(properties).toMatchObject({
        Architectures: [architecture],
        MemorySize: 512,
        Timeout: 10,
        Runtime: 'nodejs24.x',
        Handler: 'start.handler',
        LoggingConfig: { LogFormat: 'JSON' },
      });
      expect(typeOf(properties.LoggingConfig.LogGroup)).toBe('AWS::Logs::LogGroup');
      expect(properties).not.toHaveProperty('ReservedConcurrentExecutions');
      const hasCors =
        group === 'everything' && properties !== template.Resources.Authorizer.Properties;
      const { AWS_ENDPOINT_URL_DYNAMODB, CORS_ORIGIN } = properties.Environment.Variables;
      expect(AWS_ENDPOINT_URL_DYNAMODB).toBe('');
      expect(CORS_ORIGIN).toBe(hasCors ? 'https://example.com' : undefined);
    }
  });

  test('roles are assumed by the service that uses them alone, and have no wildcard', () => {
    const services: Record<string, string> = {
      'AWS::ApiGateway::Account': 'apigateway.amazonaws.com',
      'AWS::Events::Rule': 'events.amazonaws.com',
      'AWS::Lambda::Function': 'lambda.amazonaws.com',
      'AWS::StepFunctions::StateMachine': 'states.amazonaws.com',
    };
    const roles = Object.entries(template.Resources).filter(
      ([, { Type }]) => Type === 'AWS::IAM::Role',
    );
    for (const [id, { Properties }] of roles) {
      const { AssumeRolePolicyDocument, Tags, ManagedPolicyArns = [], ...others } = Properties;
      expect(others).toEqual({});
      const arn = JSON.stringify({ 'Fn::GetAtt': [id, 'Arn'] });
      const users = resources.filter((resource) => JSON.stringify(resource).includes(arn));
      const Service = users.map(({ Type }) => services[Type]).join();
      expect(AssumeRolePolicyDocument.Statement).toEqual([
        expect.objectContaining({ Effect: 'Allow', Principal: { Service } }),
      ]);
      const policies = ManagedPolicyArns.map((each: Json) => joinText(each['Fn::Join']));
      // All APIs of the account and region log with this role.
      const isForLogs = Service === 'apigateway.amazonaws.com';
      const forLogs = expect.stringMatching(/\/AmazonAPIGatewayPushToCloudWatchLogs$/);
      expect(policies).toEqual(isForLogs ? [forLogs] : []);
    }
    for (const { PolicyDocument } of findProperties(template, 'AWS::IAM::Policy')) {
      for (const { Action, Resource } of PolicyDocument.Statement) {
        expect(JSON.stringify([Action, Resource])).not.toContain('*');
      }
    }
  });

  test('logs are kept for 30 days', () => {
    const retentions = findProperties(template, 'AWS::Logs::LogGroup').map(
      ({ RetentionInDays }) => RetentionInDays,
    );
    const groups = group === 'everything' ? functionCount + 1 : functionCount;
    expect(retentions).toEqual(Array(groups).fill(30));
  });
});
