import { describe, expect, test } from '@jest/globals';
import { operations } from '../../functions/shared/operations.ts';
import { findProperties, templates } from './templates.ts';

// What no update of a snapshot may change by accident, over every resource of its kind.

type Json = ReturnType<typeof JSON.parse>;
type Template = (typeof templates)['default'];

const findAll = ({ Resources }: Template, type: string): Json[] =>
  Object.values(Resources).filter(({ Type }) => Type === type);

/** One for each operation, and the authorizer. */
const functionCount = Object.keys(operations).length + 1;

const groups = [
  { group: 'default', isKept: true },
  { group: 'everything', isKept: true },
  { group: 'throwaway', isKept: false },
] as const;

describe.each(groups)('with the settings $group', ({ group, isKept }) => {
  const template = templates[group];
  const typeOf = (reference: Json) => template.Resources[reference.Ref]?.Type;
  const isAuthorizer = (properties: Json) =>
    template.Resources.Authorizer.Properties === properties;

  test('tables keep deleted and damaged data for a while, and outlive the stack', () => {
    const types = Object.values(template.Resources).map(({ Type }) => Type);
    const tables = types.filter((type) => type.startsWith('AWS::DynamoDB::'));
    expect(tables).toEqual(['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::GlobalTable']);
    for (const table of findAll(template, 'AWS::DynamoDB::GlobalTable')) {
      const policy = isKept ? 'Retain' : 'Delete';
      expect(table).toMatchObject({ DeletionPolicy: policy, UpdateReplacePolicy: policy });
      expect(table.Properties.Replicas).toEqual([
        expect.objectContaining({
          DeletionProtectionEnabled: isKept,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        }),
      ]);
      expect(table.Properties).not.toHaveProperty('TimeToLiveSpecification');
    }
    // The role belongs to the account, whose other APIs log with it.
    const logs = group === 'everything' ? ['AWS::IAM::Role', 'AWS::ApiGateway::Account'] : [];
    const kept = Object.values(template.Resources).filter((one) => one.DeletionPolicy === 'Retain');
    expect(kept.map(({ Type }) => Type)).toEqual([...(isKept ? tables : []), ...logs]);
  });

  test('tables have their keys, are paid by request, and are encrypted without a fee', () => {
    const keys = findProperties(template, 'AWS::DynamoDB::GlobalTable').map((table) => {
      expect(table).toMatchObject({
        BillingMode: 'PAY_PER_REQUEST',
        SSESpecification: { SSEEnabled: false },
      });
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
        MemorySize: 512,
        Timeout: 10,
        Runtime: 'nodejs24.x',
        Handler: 'start.handler',
        LoggingConfig: { LogFormat: 'JSON' },
      });
      expect(typeOf(properties.LoggingConfig.LogGroup)).toBe('AWS::Logs::LogGroup');
      expect(properties).not.toHaveProperty('ReservedConcurrentExecutions');
      const { AWS_ENDPOINT_URL_DYNAMODB, CORS_ORIGIN, ...tables } =
        properties.Environment.Variables;
      expect(AWS_ENDPOINT_URL_DYNAMODB).toBe('');
      expect(CORS_ORIGIN === undefined).toBe(group !== 'everything' || isAuthorizer(properties));
      // The function may use the tables whose names it has.
      const [role] = properties.Role['Fn::GetAtt'];
      const granted = findProperties(template, 'AWS::IAM::Policy')
        .filter(({ Roles }) => Roles[0].Ref === role)
        .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
        .map(({ Resource }) => Resource['Fn::GetAtt'][0]);
      const used = [properties.LoggingConfig.LogGroup, ...Object.values<Json>(tables)];
      expect(granted).toEqual(used.map(({ Ref }) => Ref));
    }
  });

  test('each role is assumed by the service that uses it, and by nothing else', () => {
    const users = {
      'lambda.amazonaws.com': findProperties(template, 'AWS::Lambda::Function').map(
        ({ Role }) => Role,
      ),
      'states.amazonaws.com': findProperties(template, 'AWS::StepFunctions::StateMachine').map(
        ({ RoleArn }) => RoleArn,
      ),
      'events.amazonaws.com': findProperties(template, 'AWS::Events::Rule').flatMap(({ Targets }) =>
        Targets.map(({ RoleArn }: Json) => RoleArn),
      ),
      'apigateway.amazonaws.com': findProperties(template, 'AWS::ApiGateway::Account').map(
        ({ CloudWatchRoleArn }) => CloudWatchRoleArn,
      ),
    };
    const expected = Object.entries(users).flatMap(([Service, arns]) =>
      arns.map((arn) => [arn['Fn::GetAtt'][0], [{ Service }]]),
    );
    const found = Object.entries(template.Resources)
      .filter(([, { Type }]) => Type === 'AWS::IAM::Role')
      .map(([id, { Properties }]) => [
        id,
        Properties.AssumeRolePolicyDocument.Statement.map(({ Principal }: Json) => Principal),
      ]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  });

  test('logs are kept for 30 days', () => {
    const retentions = findProperties(template, 'AWS::Logs::LogGroup').map(
      ({ RetentionInDays }) => RetentionInDays,
    );
    const groups = group === 'everything' ? functionCount + 1 : functionCount;
    expect(retentions).toEqual(Array(groups).fill(30));
  });
});
