import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { AccessLogField } from 'aws-cdk-lib/aws-apigateway';
import { root } from '../support/checkout.ts';
import { joinText } from './short-form.ts';
import { findProperties, templates } from './templates.ts';

// What no update of a snapshot may change by accident, over every resource of its kind.

type Json = ReturnType<typeof JSON.parse>;

/** Variables of access logs. A deprecated one would print a warning. */
const variablesOfCdk = Object.entries(Object.getOwnPropertyDescriptors(AccessLogField))
  .filter(([name]) => name.startsWith('context') && name !== 'contextAccountId')
  .map(([, { value }]) => value('tokenId'));

const groups = [
  { group: 'default', name: 'PlantStore', isKept: true },
  { group: 'everything', name: 'PlantStore', isKept: true },
  { group: 'throwaway', name: 'PlantStore-throwaway', isKept: false },
] as const;

describe.each(groups)('with the settings $group', ({ group, name, isKept }) => {
  const template = templates[group];
  const typeOf = (reference: Json) => template.Resources[reference.Ref]?.Type;
  const alarms = findProperties(template, 'AWS::CloudWatch::Alarm');

  test('tables keep deleted and damaged data for a while, and outlive the stack', () => {
    const resources: Json[] = Object.values(template.Resources);
    const tables = resources.filter(({ Type }) => Type.startsWith('AWS::DynamoDB::'));
    const types = tables.map(({ Type }) => Type);
    expect(types).toEqual(['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::GlobalTable']);
    for (const table of tables) {
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
    const kept = resources.filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain');
    expect(kept.map(({ Type }) => Type)).toEqual([...(isKept ? types : []), ...logs]);
  });

  test('the API and its domain have the same strict TLS', () => {
    const hosts = [
      ...findProperties(template, 'AWS::ApiGateway::RestApi'),
      ...findProperties(template, 'AWS::ApiGateway::DomainName'),
    ];
    expect(hosts).toHaveLength(group === 'default' ? 1 : 2);
    for (const host of hosts) {
      expect(host).toMatchObject({
        EndpointAccessMode: 'STRICT',
        SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
        EndpointConfiguration: { IpAddressType: 'dualstack', Types: ['REGIONAL'] },
      });
    }
  });

  test('nothing is public but the API, which asks the authorizer except for preflights', () => {
    const methods = findProperties(template, 'AWS::ApiGateway::Method');
    for (const { HttpMethod, AuthorizationType } of methods) {
      expect(AuthorizationType).toBe(HttpMethod === 'OPTIONS' ? 'NONE' : 'CUSTOM');
    }
    const permissions = findProperties(template, 'AWS::Lambda::Permission');
    for (const permission of permissions) {
      expect(permission.Principal).toBe('apigateway.amazonaws.com');
      expect(joinText(permission.SourceArn['Fn::Join'])).toMatch(/:\$\{Api\}\//);
    }
    // One for each method, and one for the authorizer: the console's test calls need others.
    const operations = methods.filter(({ HttpMethod }) => HttpMethod !== 'OPTIONS');
    expect(permissions).toHaveLength(operations.length + 1);
    expect(findProperties(template, 'AWS::Lambda::Url')).toEqual([]);
  });

  test('the stage limits the requests to all methods, and logs no body', () => {
    const stages = findProperties(template, 'AWS::ApiGateway::Stage');
    expect(stages.map(({ MethodSettings }) => MethodSettings)).toEqual([
      [
        {
          HttpMethod: '*',
          ResourcePath: '/*',
          DataTraceEnabled: false,
          ThrottlingBurstLimit: expect.any(Number),
          ThrottlingRateLimit: expect.any(Number),
        },
      ],
    ]);
  });

  test('the access log names variables that AWS has', () => {
    const settings = findProperties(template, 'AWS::ApiGateway::Stage').flatMap(
      ({ AccessLogSetting }) => AccessLogSetting ?? [],
    );
    expect(settings).toHaveLength(group === 'everything' ? 1 : 0);
    for (const { Format } of settings) {
      // AWS writes a misspelt one as "-". CDK lacks the one of TLS, which AWS's page on security
      // policies names.
      const variables: string[] = Object.values(JSON.parse(Format));
      expect(variables.filter((variable) => !variablesOfCdk.includes(variable))).toEqual([
        '$context.tlsVersion',
      ]);
    }
  });

  test('gateway responses insert no text but the id of the request', () => {
    const responses = findProperties(template, 'AWS::ApiGateway::GatewayResponse');
    for (const { ResponseTemplates } of responses) {
      const problem = JSON.parse(ResponseTemplates['application/json']);
      expect(problem.instance).toBe('$context.extendedRequestId');
      expect(JSON.stringify({ ...problem, instance: '' })).not.toContain('$');
    }
  });

  test('outputs are those that programs read', () => {
    expect((template as Json).Outputs).toMatchObject({
      BaseUrl: { Value: expect.anything() },
      PlantsTableName: { Value: { Ref: 'Plants' } },
      AccessTokensTableName: { Value: { Ref: 'AccessTokens' } },
    });
  });

  test('alarms mail to the topic', () => {
    for (const alarm of alarms) {
      expect(alarm).toMatchObject({
        AlarmActions: [{ Ref: expect.any(String) }],
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        TreatMissingData: 'notBreaching',
      });
      expect(typeOf(alarm.AlarmActions[0])).toBe('AWS::SNS::Topic');
      expect(alarm).not.toMatchObject({ ActionsEnabled: false });
      const isCeiling = alarm.AlarmName === `${name}-DailyRequests`;
      expect(alarm.OKActions).toEqual(isCeiling ? undefined : alarm.AlarmActions);
    }
  });

  test('alarms watch what exists', () => {
    const metrics = alarms.flatMap(({ Metrics, ...alarm }) =>
      Metrics ? Metrics.flatMap(({ MetricStat }: Json) => MetricStat?.Metric ?? []) : alarm,
    );
    const [{ Name: api }] = findProperties(template, 'AWS::ApiGateway::RestApi');
    const values: Record<string, (value: Json) => boolean> = {
      ApiName: (value) => value === api,
      Stage: (value) => typeOf(value) === 'AWS::ApiGateway::Stage',
      FunctionName: (value) => typeOf(value) === 'AWS::Lambda::Function',
    };
    const filters = findProperties(template, 'AWS::Logs::MetricFilter');
    const filtered = filters.flatMap(({ MetricTransformations }) => MetricTransformations);
    for (const { Namespace, MetricName, Dimensions = [] } of metrics) {
      const [, service] = /^aws\/(\w+)$/.exec(Namespace.toLowerCase()) ?? [];
      if (service) {
        // CDK lists the metrics that AWS has. An alarm on any other would never go off.
        const list = `aws-${service}/lib/${service}-canned-metrics.generated.js`;
        const text = readFileSync(join(root, 'node_modules', 'aws-cdk-lib', list), 'utf8');
        expect(text).toContain(`metricName:"${MetricName}"`);
        expect(Dimensions).not.toEqual([]);
      } else {
        expect(filtered).toContainEqual({
          MetricName,
          MetricNamespace: Namespace,
          MetricValue: '1',
        });
      }
      expect(Dimensions.filter(({ Name, Value }: Json) => !values[Name]?.(Value))).toEqual([]);
    }
    // Two copies of the stack in an account must not share a metric.
    expect(filtered.map(({ MetricNamespace }) => MetricNamespace)).toEqual([name]);
  });
});
