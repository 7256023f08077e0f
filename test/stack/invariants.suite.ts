import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../support/checkout.ts';
import { joinText } from './short-form.ts';
import { findProperties, synthesize, templates } from './templates.ts';

// What no update of a snapshot may change by accident, over every resource of its kind.

type Json = ReturnType<typeof JSON.parse>;
type Template = (typeof templates)['default'];

const findAll = ({ Resources }: Template, type: string): Json[] =>
  Object.values(Resources).filter(({ Type }) => Type === type);

/** Thresholds of alarms: requests in a minute, and in a day. */
const groups = [
  { group: 'default', name: 'PlantStore', isKept: true, minute: 2700, day: undefined },
  { group: 'everything', name: 'PlantStore', isKept: true, minute: 10_800, day: 100_000 },
  {
    group: 'throwaway',
    name: 'PlantStore-throwaway',
    isKept: false,
    minute: 540_000,
    day: undefined,
  },
] as const;

describe.each(groups)('with the settings $group', ({ group, name, isKept, minute, day }) => {
  const template = templates[group];
  const typeOf = (reference: Json) => template.Resources[reference.Ref]?.Type;

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
  });

  test('functions have memory, a timeout, a log group, and no reserved concurrency', () => {
    const functions = findProperties(template, 'AWS::Lambda::Function');
    expect(functions).toHaveLength(4);
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
    }
  });

  test('logs are kept for 30 days', () => {
    const retentions = findProperties(template, 'AWS::Logs::LogGroup').map(
      ({ RetentionInDays }) => RetentionInDays,
    );
    expect(retentions).toEqual(Array(group === 'everything' ? 5 : 4).fill(30));
  });

  test('alarms mail to the topic, and watch what exists for as long as they say', () => {
    const limits: Record<string, object> = {
      ServerErrors: { Period: 300, Statistic: 'Average', Threshold: 0.01, of: [2, 3] },
      FunctionErrors: { Threshold: 1, of: [1, 3] },
      FunctionThrottles: { Threshold: 1, of: [1, 3] },
      AuthorizerFailures: { Period: 300, Statistic: 'Sum', Threshold: 1, of: [1, 1] },
      HighTraffic: { Period: 60, Statistic: 'Sum', Threshold: minute, of: [1, 15] },
      ...(day && {
        DailyRequests: { Period: 86_400, Statistic: 'Sum', Threshold: day, of: [1, 1] },
      }),
    };
    const [topic] = Object.entries(template.Resources).find(
      ([, { Type }]) => Type === 'AWS::SNS::Topic',
    ) as [string, Json];
    const alarms = findProperties(template, 'AWS::CloudWatch::Alarm');
    const found = alarms.map((alarm) => {
      const own = alarm.AlarmName.slice(`${name}-`.length);
      expect(alarm).toMatchObject({
        AlarmName: `${name}-${own}`,
        AlarmActions: [{ Ref: topic }],
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        TreatMissingData: 'notBreaching',
      });
      expect(alarm).not.toMatchObject({ ActionsEnabled: false });
      expect(alarm.OKActions).toEqual(own === 'DailyRequests' ? undefined : [{ Ref: topic }]);
      const { Period, Statistic, Threshold, DatapointsToAlarm, EvaluationPeriods } = alarm;
      const of = [DatapointsToAlarm, EvaluationPeriods];
      return [own, { ...(Period && { Period, Statistic }), Threshold, of }];
    });
    expect(Object.fromEntries(found)).toEqual(limits);

    const nested = alarms.flatMap(({ Metrics = [] }) => Metrics).filter((one) => one.MetricStat);
    for (const { MetricStat } of nested) {
      expect(MetricStat).toMatchObject({ Period: 300, Stat: 'Sum' });
    }
    const [{ Name: api }] = findProperties(template, 'AWS::ApiGateway::RestApi');
    const dimensions = [...alarms, ...nested.map(({ MetricStat }) => MetricStat.Metric)].flatMap(
      ({ Dimensions = [] }) => Dimensions,
    );
    const values: Record<string, (value: Json) => boolean> = {
      ApiName: (value) => value === api,
      Stage: (value) => typeOf(value) === 'AWS::ApiGateway::Stage',
      FunctionName: (value) => typeOf(value) === 'AWS::Lambda::Function',
    };
    expect(dimensions.length).toBeGreaterThan(10);
    expect(dimensions.filter(({ Name, Value }) => !values[Name]?.(Value))).toEqual([]);

    // CDK lists the metrics that AWS has. An alarm on any other would never go off.
    const metrics = [...alarms, ...nested.map(({ MetricStat }) => MetricStat.Metric)];
    for (const { Namespace = '', MetricName } of metrics) {
      const [, service] = /^aws\/(\w+)$/.exec(Namespace.toLowerCase()) ?? [];
      if (service) {
        const list = `aws-${service}/lib/${service}-canned-metrics.generated.js`;
        const text = readFileSync(join(root, 'node_modules', 'aws-cdk-lib', list), 'utf8');
        expect(text).toContain(`metricName:"${MetricName}"`);
      }
    }

    const [filter] = findProperties(template, 'AWS::Logs::MetricFilter');
    const [{ MetricName, MetricNamespace }] = filter.MetricTransformations;
    const failures = alarms.find(({ AlarmName }) => AlarmName === `${name}-AuthorizerFailures`);
    expect([MetricName, MetricNamespace]).toEqual([failures.MetricName, failures.Namespace]);
    expect(filter.LogGroupName).toEqual(
      template.Resources.Authorizer.Properties.LoggingConfig.LogGroup,
    );
  });

  test('CloudWatch alone may publish to the topic, over TLS and from this account', () => {
    const [policy] = findProperties(template, 'AWS::SNS::TopicPolicy');
    const [Resource] = policy.Topics;
    expect(typeOf(Resource)).toBe('AWS::SNS::Topic');
    expect(policy.PolicyDocument.Statement).toEqual([
      expect.objectContaining({
        Effect: 'Deny',
        Principal: '*',
        Action: 'sns:Publish',
        Resource,
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
      expect.objectContaining({
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Resource,
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
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
    const { Value } = (template as Json).Outputs.BaseUrl;
    expect(typeof Value === 'string' ? Value : joinText(Value['Fn::Join'])).toMatch(/^https:\/\//);
  });

  test('nothing is public but the API, which asks the authorizer except for preflights', () => {
    for (const { HttpMethod, AuthorizationType } of findProperties(
      template,
      'AWS::ApiGateway::Method',
    )) {
      expect(AuthorizationType).toBe(HttpMethod === 'OPTIONS' ? 'NONE' : 'CUSTOM');
    }
    for (const permission of findProperties(template, 'AWS::Lambda::Permission')) {
      expect(permission.Principal).toBe('apigateway.amazonaws.com');
      expect(joinText(permission.SourceArn['Fn::Join'])).toMatch(/:\$\{Api\}\//);
    }
    expect(findProperties(template, 'AWS::Lambda::Url')).toEqual([]);
  });
});

// The values of docs/deploy.md, with the ends of ranges.
test.each<[setting: string, value: string, find: (template: Template) => Json, expected: Json]>([
  ['retention', 'destroy', ({ Resources }) => Resources.Plants.DeletionPolicy, 'Delete'],
  ['retention', 'retain', ({ Resources }) => Resources.Plants.DeletionPolicy, 'Retain'],
  [
    'architecture',
    'arm64',
    ({ Resources }) => Resources.ListPlants.Properties.Architectures,
    ['arm64'],
  ],
  [
    'architecture',
    'x86_64',
    ({ Resources }) => Resources.ListPlants.Properties.Architectures,
    ['x86_64'],
  ],
  ['throttle-rate', '1', findThrottle, [1, 2]],
  ['throttle-rate', '2500', findThrottle, [2500, 5000]],
  ['throttle-rate', '10000', findThrottle, [10_000, 5000]],
  ['authorizer-cache', '0', findCache, [0]],
  ['authorizer-cache', '300', findCache, [300]],
  ['daily-requests', '1', findDaily, [1]],
  ['daily-requests', '999999999', findDaily, [999_999_999]],
  ['cors-origin', '*', findOrigin, '*'],
  ['access-log', 'false', findAccounts, 0],
  ['access-log', 'true', findAccounts, 1],
  ['alarm-email', 'a@example.com', findMail, ['a@example.com']],
  ['instance', 'x'.repeat(64), findName, `PlantStore-${'x'.repeat(64)}`],
])('the setting %s is used: %s', (setting, value, find, expected) => {
  expect(find(synthesize({ [setting]: value }))).toEqual(expected);
});

function findThrottle(template: Template) {
  const [{ MethodSettings }] = findProperties(template, 'AWS::ApiGateway::Stage');
  const [{ ThrottlingRateLimit, ThrottlingBurstLimit }] = MethodSettings;
  return [ThrottlingRateLimit, ThrottlingBurstLimit];
}

function findCache(template: Template) {
  return findProperties(template, 'AWS::ApiGateway::Authorizer').map(
    ({ AuthorizerResultTtlInSeconds }) => AuthorizerResultTtlInSeconds,
  );
}

function findDaily(template: Template) {
  const alarms = findProperties(template, 'AWS::CloudWatch::Alarm');
  return alarms.filter(({ Period }) => Period === 86_400).map(({ Threshold }) => Threshold);
}

function findOrigin({ Resources }: Template) {
  return Resources.ListPlants.Properties.Environment.Variables.CORS_ORIGIN;
}

function findAccounts(template: Template) {
  return findProperties(template, 'AWS::ApiGateway::Account').length;
}

function findMail(template: Template) {
  return findProperties(template, 'AWS::SNS::Subscription').map(({ Endpoint }) => Endpoint);
}

function findName(template: Template) {
  return findProperties(template, 'AWS::ApiGateway::RestApi')[0].Name;
}
