import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { logCodes } from '../../functions/contract/log-codes.ts';
import { ofType, propertiesOf, resource, settings, templateWith } from './templates.ts';

const plain = templateWith(settings.default);
const everything = templateWith(settings.everything);
const alarms = Object.values(ofType(everything, 'AWS::CloudWatch::Alarm')).map(
  ({ Properties }) => Properties,
);
const root = join(import.meta.dirname, '..', '..');
const operationsManual = readFileSync(join(root, 'docs', 'operations.md'), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: JSON of the template.
const metricsOf = (alarm: any) => {
  if (alarm.Metrics) return alarm.Metrics;
  const { Namespace, MetricName, Dimensions, Period, Statistic, ExtendedStatistic } = alarm;
  const Metric = { Namespace, MetricName, ...(Dimensions && { Dimensions }) };
  return [{ MetricStat: { Metric, Period, Stat: Statistic ?? ExtendedStatistic } }];
};
// biome-ignore lint/suspicious/noExplicitAny: JSON of the template.
const statsOf = (alarm: any) => metricsOf(alarm).filter((metric: any) => metric.MetricStat);

test('there are these alarms, at these values', () => {
  const [stage] = Object.keys(ofType(everything, 'AWS::ApiGateway::Stage'));
  const api = [
    { Name: 'ApiName', Value: 'PlantStore-everything' },
    { Name: 'Stage', Value: { Ref: stage } },
  ];
  const gateway = (MetricName: string, Stat: string, Period = 300) => ({
    Metric: { Namespace: 'AWS/ApiGateway', MetricName, Dimensions: api },
    Period,
    Stat,
  });
  const counted = (MetricName: string) => ({
    Metric: { Namespace: 'PlantStore-everything', MetricName },
    Period: 300,
    Stat: 'Sum',
  });
  const errors = (name: string) => ({
    Metric: {
      Namespace: 'AWS/Lambda',
      MetricName: 'Errors',
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: name } }],
    },
    Period: 300,
    Stat: 'Sum',
  });
  const table = alarms.map((alarm) => [
    alarm.AlarmName,
    statsOf(alarm).map(({ MetricStat }: { MetricStat: unknown }) => MetricStat),
    alarm.Threshold,
    `${alarm.DatapointsToAlarm} of ${alarm.EvaluationPeriods}`,
  ]);
  expect(table).toEqual([
    ['PlantStore-everything-ServerErrors', [gateway('5XXError', 'Average')], 0.01, '1 of 1'],
    ['PlantStore-everything-SlowAnswers', [gateway('Latency', 'p99')], 3000, '3 of 3'],
    [
      'PlantStore-everything-ThrottledRequests',
      [gateway('Count', 'Sum', 60)],
      0.9 * 60 * 200,
      '1 of 1',
    ],
    ['PlantStore-everything-AuthorizerFailures', [counted('AuthorizerFailed')], 1, '1 of 1'],
    ['PlantStore-everything-DatabaseUnavailable', [counted('DatabaseUnavailable')], 3, '1 of 1'],
    [
      'PlantStore-everything-FunctionErrors',
      ['CreatePlant', 'ListPlants', 'DeletePlant'].map(errors),
      1,
      '1 of 3',
    ],
  ]);
});

test('a function that nobody called does not hide the errors of another', () => {
  const { Metrics } = alarms.find(({ AlarmName }) => AlarmName.endsWith('FunctionErrors'));
  expect(Metrics).toContainEqual(
    expect.objectContaining({
      Expression: 'FILL(errors0, 0) + FILL(errors1, 0) + FILL(errors2, 0)',
      ReturnData: true,
    }),
  );
});

test.each(alarms.map((alarm) => [alarm.AlarmName, alarm]))(
  '%s says whom it hurts and what to do, and tells somebody',
  (_, alarm) => {
    const [, impact, response, section] =
      /^Impact: (.*) What to do: (.*) Runbook: docs\/operations\.md#(\w+)$/.exec(
        alarm.AlarmDescription,
      ) ?? [];
    expect(impact?.length).toBeGreaterThan(40);
    expect(response?.length).toBeGreaterThan(40);
    expect(section).toBe(alarm.AlarmName.split('-').at(-1).toLowerCase());

    const [, runbook = ''] = operationsManual.split(new RegExp(`^### ${section}$`, 'im'));
    expect(runbook.split(/^#/m)[0]?.length).toBeGreaterThan(200);

    const topic = { Ref: Object.keys(ofType(everything, 'AWS::SNS::Topic'))[0] };
    expect(alarm).toMatchObject({
      AlarmActions: [topic],
      OKActions: [topic],
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    });
  },
);

test('log codes are counted, each in the log of the functions that write it', () => {
  const filters = propertiesOf(plain, 'AWS::Logs::MetricFilter').map(
    ({ LogGroupName, FilterPattern, MetricTransformations }) => {
      const [owner] =
        Object.entries(plain.Resources).find(
          ([, { Properties }]) => Properties.LoggingConfig?.LogGroup.Ref === LogGroupName.Ref,
        ) ?? [];
      return [owner, FilterPattern, MetricTransformations];
    },
  );
  const metric = (MetricName: string) => [
    { MetricNamespace: 'PlantStore', MetricName, MetricValue: '1' },
  ];
  const brokenOff =
    '($.record.status = "timeout") || ($.record.errorType = "Runtime.ExitError") || ($.record.errorType = "Runtime.OutOfMemory") || ' +
    '(($.type = "platform.initReport") && ($.record.status = "error"))';
  const unavailable = [
    '{ $.message.code = "DATABASE_UNAVAILABLE" }',
    metric('DatabaseUnavailable'),
  ];
  const failed = ['{ $.message.code = "REQUEST_FAILED" }', metric('RequestFailed')];
  expect(filters).toEqual([
    [
      'Authorizer',
      `{ ($.message.code = "AUTHORIZER_FAILED") || (${brokenOff}) }`,
      metric('AuthorizerFailed'),
    ],
    ['Authorizer', '{ $.message.code = "TOKEN_REFUSED" }', metric('TokenRefused')],
    ...['CreatePlant', 'ListPlants', 'DeletePlant'].map((name) => [name, ...unavailable]),
    ...['CreatePlant', 'ListPlants', 'DeletePlant'].map((name) => [name, ...failed]),
  ]);
  const codes = filters.flatMap(([, pattern]) =>
    [...String(pattern).matchAll(/\$\.message\.code = "(\w+)"/g)].map(([, code]) => code),
  );
  expect(Object.keys(logCodes)).toEqual(expect.arrayContaining(codes));
});

test('every registered log code is written by a function', () => {
  const functions = join(root, 'functions');
  const files = readdirSync(functions, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('log-codes.ts'),
  );
  const source = files.map((name) => readFileSync(join(functions, name), 'utf8')).join('\n');
  for (const code of Object.keys(logCodes)) expect(source).toContain(`'${code}'`);
});

test('one copy stays within what CloudWatch gives for nothing', () => {
  // https://aws.amazon.com/cloudwatch/pricing/: 10 alarm metrics of standard resolution, 10 custom metrics, 3 dashboards of 50 metrics each.
  expect(alarms.flatMap(statsOf)).toHaveLength(8);
  for (const { MetricStat } of alarms.flatMap(statsOf))
    expect(MetricStat.Period).toBeGreaterThanOrEqual(60);

  const custom = propertiesOf(everything, 'AWS::Logs::MetricFilter').map(
    ({ MetricTransformations: [{ MetricName }] }) => MetricName,
  );
  expect(new Set(custom).size).toBe(4);

  expect(dashboardMetrics().size).toBeLessThanOrEqual(50);
});

test('the dashboard shows every alarm, who is slow, and what each service costs', () => {
  const { widgets } = dashboard();
  const alarmsShown = widgets.find(({ type }: { type: string }) => type === 'alarm').properties
    .alarms;
  expect(alarmsShown).toHaveLength(alarms.length);
  const titles = widgets.map(
    ({ properties }: { properties: { title?: string } }) => properties.title,
  );
  expect(titles).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/healthy\?/),
      expect.stringMatching(/slow\?/),
      expect.stringMatching(/cost\?/),
    ]),
  );
  const [, ...costs] = JSON.stringify(widgets).split('"expression":"');
  expect(costs.map((text) => text.split('"')[0])).toEqual([
    '(FILL(requests, 0)) / 1000000 * 3.5',
    expect.stringMatching(
      /^\(FILL\(invocations0, 0\) .* \/ 1000000 \* 0\.2 \+ \(FILL\(ms0, 0\).* \/ 1000 \* 1 \* 0\.0000166667$/,
    ),
    '(FILL(reads0, 0) + FILL(reads1, 0)) / 1000000 * 0.125 + (FILL(writes0, 0)) / 1000000 * 0.625',
    '(FILL(bytes0, 0) + FILL(bytes1, 0) + FILL(bytes2, 0) + FILL(bytes3, 0)) / 1000000000 * 0.5',
  ]);
});

test('alarms may publish to their topic, over TLS only; the e-mail is told if there is one', () => {
  const [topic] = Object.keys(ofType(everything, 'AWS::SNS::Topic'));
  const publish = { Action: 'sns:Publish', Resource: { Ref: topic } };
  expect(
    propertiesOf(everything, 'AWS::SNS::TopicPolicy')[0].PolicyDocument.Statement,
  ).toMatchObject([
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
    { Protocol: 'email', Endpoint: 'oncall@example.com', TopicArn: { Ref: topic } },
  ]);
  expect(propertiesOf(plain, 'AWS::SNS::Subscription')).toEqual([]);
});

/** The dashboard's JSON, with names in the place of what CloudFormation fills in. */
function dashboard() {
  const [id] = Object.keys(ofType(everything, 'AWS::CloudWatch::Dashboard'));
  const [separator, parts] = resource(everything, `${id}`).Properties.DashboardBody['Fn::Join'];
  const text = parts.map((part: string | { Ref?: string }) =>
    typeof part === 'string' ? part : JSON.stringify(part).replaceAll('"', ''),
  );
  return JSON.parse(text.join(separator));
}

function dashboardMetrics(): Set<string> {
  const metrics = dashboard().widgets.flatMap(
    ({ properties }: { properties: { metrics?: unknown[][] } }) => properties.metrics ?? [],
  );
  const names = metrics.filter((metric: unknown[]) => metric.length > 1);
  // Everything but the last part, which is how it is drawn: what is shown twice counts once.
  return new Set(
    names.map((metric: unknown[]) =>
      JSON.stringify(metric.filter((part) => typeof part === 'string')),
    ),
  );
}

test('the budget mails at 80 % of the bill and when its forecast passes the budget', () => {
  const mailAt = (NotificationType: string, Threshold: number) => ({
    Notification: {
      NotificationType,
      Threshold,
      ThresholdType: 'PERCENTAGE',
      ComparisonOperator: 'GREATER_THAN',
    },
    Subscribers: [{ SubscriptionType: 'EMAIL', Address: 'oncall@example.com' }],
  });
  expect(propertiesOf(everything, 'AWS::Budgets::Budget')).toEqual([
    {
      // No BudgetName: CloudFormation cannot replace what has a fixed name.
      Budget: {
        BudgetType: 'COST',
        TimeUnit: 'MONTHLY',
        BudgetLimit: { Amount: 20, Unit: 'USD' },
      },
      NotificationsWithSubscribers: [mailAt('ACTUAL', 80), mailAt('FORECASTED', 100)],
      ResourceTags: [{ Key: 'plant-store', Value: 'PlantStore-everything' }],
    },
  ]);
});
