import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../support/checkout.ts';
import { findProperties, templates } from './templates.ts';

// What no update of a snapshot may change by accident, over every alarm.

type Json = ReturnType<typeof JSON.parse>;

/** Thresholds of alarms: requests in a minute, and in a day. */
const groups = [
  { group: 'default', name: 'PlantStore', minute: 2700, day: undefined },
  { group: 'everything', name: 'PlantStore', minute: 54, day: 1 },
  { group: 'throwaway', name: 'PlantStore-throwaway', minute: 540_000, day: 999_999_999 },
] as const;

/** Returns the metrics that an alarm watches: its own, or those that it adds up. */
const listMetrics = ({ Metrics, ...alarm }: Json): Json[] =>
  Metrics
    ? Metrics.flatMap(({ MetricStat }: Json) =>
        MetricStat ? { ...MetricStat.Metric, ...MetricStat, Statistic: MetricStat.Stat } : [],
      )
    : [alarm];

describe.each(groups)('with the settings $group', ({ group, name, minute, day }) => {
  const template = templates[group];
  const alarms = findProperties(template, 'AWS::CloudWatch::Alarm');
  const typeOf = (reference: Json) => template.Resources[reference.Ref]?.Type;
  const findIds = (type: string) =>
    Object.keys(template.Resources).filter((id) => typeOf({ Ref: id }) === type);
  const [stage] = findIds('AWS::ApiGateway::Stage');
  const api = `${name} ${stage}`;
  const functions = findIds('AWS::Lambda::Function');
  // Lambda counts a rejected token as an error of the authorizer.
  const operations = functions.filter((id) => id !== 'Authorizer');

  test('alarms watch the metrics, for as long and with the numbers that their mail says', () => {
    const found = alarms.map((alarm) => {
      const metrics = listMetrics(alarm).map(
        ({ MetricName, Statistic, Period, Dimensions = [] }) => {
          const watched = Dimensions.map(({ Value }: Json) => Value.Ref ?? Value);
          return [MetricName, Statistic, Period, ...watched].join(' ');
        },
      );
      const { Threshold, DatapointsToAlarm, EvaluationPeriods, AlarmDescription } = alarm;
      const rings = `from ${Threshold}, ${DatapointsToAlarm} of ${EvaluationPeriods}`;
      const [beforeCommands] = JSON.stringify(AlarmDescription).split('curl');
      const numbers = `${beforeCommands}`.match(/\b\d+(?:\.\d+)?/g) ?? [];
      return [alarm.AlarmName, [...metrics, rings, numbers.join(' ')]];
    });
    expect(Object.fromEntries(found)).toEqual({
      [`${name}-ServerErrors`]: [`5XXError Average 300 ${api}`, 'from 0.01, 2 of 3', '5 1 500 503'],
      [`${name}-FunctionErrors`]: [
        ...operations.map((id) => `Errors Sum 300 ${id}`),
        'from 1, 1 of 3',
        '503',
      ],
      [`${name}-FunctionThrottles`]: [
        ...functions.map((id) => `Throttles Sum 300 ${id}`),
        'from 1, 1 of 3',
        '503',
      ],
      [`${name}-AuthorizerFailures`]: ['AuthorizerFailed Sum 300', 'from 1, 1 of 1', '503'],
      [`${name}-HighTraffic`]: [
        `Count Sum 60 ${api}`,
        `from ${minute}, 1 of 15`,
        `429 ${minute / 60} 90`,
      ],
      ...(day && {
        [`${name}-DailyRequests`]: [
          `Count Sum 86400 ${api}`,
          `from ${day}, 1 of 1`,
          `24 ${day} 429`,
        ],
      }),
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
    const mails = findProperties(template, 'AWS::SNS::Subscription').map(
      ({ Endpoint }) => Endpoint,
    );
    expect(mails).toEqual(group === 'everything' ? ['oncall@example.com'] : []);
  });

  test('alarms of several metrics add them, at most ten', () => {
    for (const { Metrics } of alarms.filter(({ Metrics }) => Metrics)) {
      const [{ Expression }, ...metrics] = Metrics;
      expect(Expression).toBe(metrics.map(({ Id }: Json) => `FILL(${Id}, 0)`).join(' + '));
      // CloudWatch allows no more in an expression.
      expect(metrics.length).toBeLessThanOrEqual(10);
    }
  });

  test('alarms watch what exists', () => {
    const metrics = alarms.flatMap(listMetrics);
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

  test('metric filters match the lines of failures, in the log of the authorizer', () => {
    const filters = findProperties(template, 'AWS::Logs::MetricFilter');
    const matched = filters.map(({ FilterPattern, LogGroupName }) => [FilterPattern, LogGroupName]);
    expect(matched).toEqual([
      [
        '{ ($.message.code = "AUTHORIZER_FAILED") || ($.record.status = "timeout") || ' +
          '($.record.status = "failure") || ($.record.errorType = "Runtime.*") || ' +
          '(($.type = "platform.initReport") && ($.record.status != "success")) }',
        template.Resources.Authorizer.Properties.LoggingConfig.LogGroup,
      ],
    ]);
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
});
