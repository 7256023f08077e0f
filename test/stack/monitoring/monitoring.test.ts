import { expect, test } from '@jest/globals';
import { logCodes } from '../../../functions/shared/log-codes.ts';
import { headingsOf, readPage } from '../../docs/page.ts';
import { idsOf, plantFunctions, propertiesOf, ref, settings, templateWith } from '../templates.ts';

const plain = await templateWith(settings.default);
const everything = await templateWith(settings.everything);
const alarms = propertiesOf(everything, 'AWS::CloudWatch::Alarm');
const [topicId] = idsOf(everything, 'AWS::SNS::Topic');
const topic = ref(topicId);

// biome-ignore lint/suspicious/noExplicitAny: JSON of the template.
const metricsOf = (alarm: any) => {
  if (alarm.Metrics) {
    return alarm.Metrics;
  }
  const { Namespace, MetricName, Dimensions, Period, Statistic, ExtendedStatistic } = alarm;
  const Metric = { Namespace, MetricName, ...(Dimensions && { Dimensions }) };
  return [{ MetricStat: { Metric, Period, Stat: Statistic ?? ExtendedStatistic } }];
};
// biome-ignore lint/suspicious/noExplicitAny: JSON of the template.
const statsOf = (alarm: any) => metricsOf(alarm).filter((metric: any) => metric.MetricStat);

test('each alarm watches its metric at its threshold', () => {
  const [stage] = idsOf(everything, 'AWS::ApiGateway::Stage');
  const api = [
    { Name: 'ApiName', Value: 'PlantStore-everything' },
    { Name: 'Stage', Value: ref(stage) },
  ];
  const gateway = (MetricName: string, Stat: string, Period = 300) => ({
    Metric: { Namespace: 'AWS/ApiGateway', MetricName, Dimensions: api },
    Period,
    Stat,
  });
  const sum = (Metric: object) => ({ Metric, Period: 300, Stat: 'Sum' });
  const counted = (MetricName: string) => sum({ Namespace: 'PlantStore-everything', MetricName });
  const table = alarms.map((alarm) => [
    alarm.AlarmName,
    statsOf(alarm).map(({ MetricStat }: { MetricStat: unknown }) => MetricStat),
    alarm.Threshold,
    `${alarm.DatapointsToAlarm} of ${alarm.EvaluationPeriods}`,
  ]);
  const expected: [string, object[], number, string][] = [
    ['ServerErrors', [gateway('5XXError', 'Average')], 0.01, '1 of 1'],
    ['SlowAnswers', [gateway('Latency', 'p99')], 3000, '3 of 3'],
    ['ThrottledRequests', [gateway('Count', 'Sum', 60)], 0.9 * 60 * 200, '1 of 15'],
    ['AuthorizerFailures', [counted('AuthorizerFailed')], 1, '1 of 1'],
    ['DatabaseUnavailable', [counted('DatabaseUnavailable')], 3, '1 of 1'],
    ['FunctionErrors', [counted('FunctionFailed')], 1, '1 of 1'],
    // No dimensions: all functions of the account, which share its quota.
    [
      'ThrottledFunctions',
      [sum({ Namespace: 'AWS/Lambda', MetricName: 'Throttles' })],
      1,
      '1 of 1',
    ],
  ];
  expect(table).toEqual(
    expected.map(([name, ...rest]) => [`PlantStore-everything-${name}`, ...rest]),
  );
});

test('a flood that comes and goes for an hour sends two mails', () => {
  const throttled = alarms.find(({ AlarmName }) => AlarmName.endsWith('ThrottledRequests'));
  const { DatapointsToAlarm, EvaluationPeriods, Threshold } = throttled;
  const requests = Array.from({ length: 120 }, (_, minute) =>
    minute < 60 && minute % 2 === 0 ? Threshold : 0,
  );
  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/AlarmThatSendsEmail.html
  const states = requests.map((_, minute) => {
    const last = requests.slice(Math.max(0, minute + 1 - EvaluationPeriods), minute + 1);
    return last.filter((count) => count >= Threshold).length >= DatapointsToAlarm;
  });
  const mails = states.filter((state, minute) => state !== (states[minute - 1] ?? false));
  expect(mails).toEqual([true, false]);
  // The runbook says, too, what is counted.
  for (const text of [throttled.AlarmDescription, readPage('docs/operations.md')]) {
    expect(text).toContain('all methods together');
  }
});

test.each(alarms.map((alarm) => [alarm.AlarmName, alarm]))(
  '%s says its impact and what to do, and publishes to the topic',
  (_, alarm) => {
    const [, section] =
      /^Impact: .+ What to do: .+ Runbook: docs\/operations\.md#(\w+)$/.exec(
        alarm.AlarmDescription,
      ) ?? [];
    expect(section).toBe(alarm.AlarmName.split('-').at(-1).toLowerCase());
    expect(headingsOf('docs/operations.md')).toContain(section);

    expect(alarm).toMatchObject({
      AlarmActions: [topic],
      OKActions: [topic],
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    });
  },
);

test('metric filters count log codes in the logs of the functions that write them', () => {
  const filters = propertiesOf(plain, 'AWS::Logs::MetricFilter').map(
    ({ LogGroupName, FilterPattern, MetricTransformations }) => {
      const [owner] =
        Object.entries(plain.Resources).find(
          ([, { Properties }]) => Properties.LoggingConfig?.LogGroup.Ref === LogGroupName.Ref,
        ) ?? [];
      return [owner, FilterPattern, MetricTransformations];
    },
  );
  const filter = (pattern: string, MetricName: string, MetricValue = '1') => [
    pattern,
    [{ MetricNamespace: 'PlantStore', MetricName, MetricValue }],
  ];
  // A failed invocation has a platform.runtimeDone too, with the same status.
  const failedInit = '(($.type = "platform.initReport") && ($.record.status != "success"))';
  const crashOrTimeout =
    `${failedInit} || (($.type = "platform.report") && (($.record.status = "timeout") || ` +
    '($.record.errorType = "Runtime.ExitError") || ($.record.errorType = "Runtime.OutOfMemory")))';
  const authorizerFailed = `{ ($.message.code = "AUTHORIZER_FAILED") || (${crashOrTimeout}) }`;
  const unavailable = filter('{ $.message.code = "DATABASE_UNAVAILABLE" }', 'DatabaseUnavailable');
  const failed = filter('{ $.message.code = "REQUEST_FAILED" }', 'RequestFailed');
  const invocation = filter(
    `{ ${failedInit} || (($.type = "platform.report") && ($.record.status != "success")) }`,
    'FunctionFailed',
  );
  const billed = filter(
    '{ $.type = "platform.report" }',
    'BilledMilliseconds',
    '$.record.metrics.billedDurationMs',
  );
  expect(filters).toEqual([
    ['Authorizer', ...filter(authorizerFailed, 'AuthorizerFailed')],
    ['Authorizer', ...filter('{ $.message.code = "TOKEN_REFUSED" }', 'TokenRefused')],
    ...plantFunctions.map((name) => [name, ...unavailable]),
    ...plantFunctions.map((name) => [name, ...failed]),
    ...plantFunctions.map((name) => [name, ...invocation]),
    ...[...plantFunctions, 'Authorizer'].map((name) => [name, ...billed]),
  ]);
  const codes = filters.flatMap(([, pattern]) =>
    [...String(pattern).matchAll(/\$\.message\.code = "(\w+)"/g)].map(([, code]) => code),
  );
  expect(Object.keys(logCodes)).toEqual(expect.arrayContaining(codes));
});

test("one copy stays within CloudWatch's free allowance", () => {
  // 10 alarm metrics of standard resolution and 10 custom metrics
  // (https://aws.amazon.com/cloudwatch/pricing/).
  const alarmMetrics = alarms.flatMap(statsOf).length;
  expect(alarmMetrics).toBeLessThanOrEqual(10);
  for (const { MetricStat } of alarms.flatMap(statsOf)) {
    expect(MetricStat.Period).toBeGreaterThanOrEqual(60);
  }

  const custom = propertiesOf(everything, 'AWS::Logs::MetricFilter').map(
    ({ MetricTransformations: [{ MetricName }] }) => MetricName,
  );
  expect(new Set(custom).size).toBeLessThanOrEqual(10);

  // A metric of an alarm costs 10 cents.
  const cents = (2 * alarmMetrics - 10) * 10;
  const costs = readPage('docs/cost-and-scale.md').replaceAll(/\s+/g, ' ');
  expect(costs).toContain(`costs ${cents} cents a month`);
  // A custom metric costs 30 cents, in proportion to the hours in which it gets data.
  const customCents = (2 * new Set(custom).size - 10) * 30;
  expect(customCents).toBeGreaterThanOrEqual(0);
  expect(readPage('docs/cost-and-scale.md')).toContain(`${customCents} cents for its metrics`);
});

test('alarms may publish to their topic over TLS only, and alarm-email subscribes to it', () => {
  const publish = { Action: 'sns:Publish', Resource: topic };
  const [{ PolicyDocument }] = propertiesOf(everything, 'AWS::SNS::TopicPolicy');
  expect(PolicyDocument.Statement).toMatchObject([
    {
      ...publish,
      Effect: 'Deny',
      Principal: '*',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    },
    {
      ...publish,
      Effect: 'Allow',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    },
  ]);
  expect(propertiesOf(everything, 'AWS::SNS::Subscription')).toEqual([
    { Protocol: 'email', Endpoint: 'oncall@example.com', TopicArn: topic },
  ]);
  expect(propertiesOf(plain, 'AWS::SNS::Subscription')).toEqual([]);
});
