import { expect, jest, test } from '@jest/globals';
import { logError } from '../../functions/log.ts';
import { headingsOf } from '../docs/page.ts';
import { filterPattern } from './filter-pattern.ts';
import { idsOf, propertiesOf, ref, templates } from './templates.ts';

const { default: plain, everything } = templates;
const alarms = propertiesOf(everything, 'AWS::CloudWatch::Alarm');
const [topicId] = idsOf(everything, 'AWS::SNS::Topic');
const topic = ref(topicId);
const nameOf = (alarm: { AlarmName: string }) => `${alarm.AlarmName.split('-').at(-1)}`;

test('each alarm watches its metrics at its threshold', () => {
  const [stage] = idsOf(everything, 'AWS::ApiGateway::Stage');
  const gateway = (MetricName: string, Statistic: string, Period: number) => ({
    Namespace: 'AWS/ApiGateway',
    MetricName,
    Dimensions: [
      { Name: 'ApiName', Value: 'PlantStore-everything' },
      { Name: 'Stage', Value: ref(stage) },
    ],
    Statistic,
    Period,
  });
  const lambda = (Id: string, Metric: object) => ({
    Id,
    MetricStat: { Metric: { Namespace: 'AWS/Lambda', ...Metric }, Period: 300, Stat: 'Sum' },
    ReturnData: false,
  });
  const errorsOf = (name: string) =>
    lambda(`errorsOf${name}`, {
      MetricName: 'Errors',
      Dimensions: [{ Name: 'FunctionName', Value: ref(name) }],
    });
  const expected = {
    ServerErrors: {
      ...gateway('5XXError', 'Average', 300),
      Threshold: 0.01,
      EvaluationPeriods: 1,
    },
    FunctionErrors: {
      Metrics: [
        {
          Id: 'expr_1',
          Expression:
            'FILL(throttles, 0) + FILL(errorsOfCreatePlant, 0) + ' +
            'FILL(errorsOfListPlants, 0) + FILL(errorsOfDeletePlant, 0)',
          ReturnData: true,
        },
        // No dimensions: all functions of the account, which share its quota.
        lambda('throttles', { MetricName: 'Throttles' }),
        errorsOf('CreatePlant'),
        errorsOf('ListPlants'),
        errorsOf('DeletePlant'),
      ],
      Threshold: 1,
      EvaluationPeriods: 3,
    },
    AuthorizerFailures: {
      Namespace: 'PlantStore-everything',
      MetricName: 'AuthorizerFailed',
      Statistic: 'Sum',
      Period: 300,
      Threshold: 1,
      EvaluationPeriods: 1,
    },
    ThrottledRequests: {
      ...gateway('Count', 'Sum', 60),
      Threshold: 0.9 * 60 * 200,
      EvaluationPeriods: 15,
    },
  };
  const watched = alarms.map((alarm) => {
    const { AlarmName, AlarmDescription, Tags, AlarmActions, OKActions, ...properties } = alarm;
    return [nameOf(alarm), properties];
  });
  const common = {
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    DatapointsToAlarm: 1,
    TreatMissingData: 'notBreaching',
  };
  expect(watched).toEqual(
    Object.entries(expected).map(([name, properties]) => [name, { ...common, ...properties }]),
  );
});

test('a flood that comes and goes for an hour sends two mails', () => {
  const throttled = alarms.find((alarm) => nameOf(alarm) === 'ThrottledRequests');
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
});

test.each(alarms.map((alarm) => ({ name: nameOf(alarm), alarm })))(
  '$name says its impact and its runbook, and publishes to the topic',
  ({ name, alarm }) => {
    const [, section] =
      /^Impact: .+\. Runbook: docs\/operations\.md#(\w+)$/.exec(alarm.AlarmDescription) ?? [];
    expect(section).toBe(name.toLowerCase());
    expect(headingsOf('docs/operations.md')).toContain(section);
    expect([alarm.AlarmActions, alarm.OKActions]).toEqual([[topic], [topic]]);
  },
);

const [filter] = propertiesOf(everything, 'AWS::Logs::MetricFilter');
const counts = filterPattern(filter.FilterPattern);

test('AuthorizerFailed is counted in the log of the authorizer', () => {
  const { LogGroup } = everything.Resources.Authorizer?.Properties.LoggingConfig ?? {};
  expect(filter.LogGroupName).toEqual(LogGroup);
  expect(filter.MetricTransformations).toEqual([
    {
      MetricNamespace: 'PlantStore-everything',
      MetricName: 'AuthorizerFailed',
      MetricValue: '1',
    },
  ]);
});

test('AuthorizerFailed counts what the authorizer logs about a token that it cannot check', () => {
  const log = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  logError('AUTHORIZER_FAILED', {}, new Error('The table is throttled.'));
  const [[message = {}] = []] = log.mock.calls;
  log.mockRestore();
  // Lambda puts what a function logs under `message`:
  // https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
  expect(counts({ timestamp: '2026-11-25T12:00:00Z', level: 'ERROR', message })).toBe(true);
});

// https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html
test.each([
  { is: 'a function that ran out of time', type: 'platform.report', status: 'timeout' },
  {
    is: 'a function that crashed',
    type: 'platform.report',
    status: 'error',
    errorType: 'Runtime.ExitError',
  },
  {
    is: 'a function that ran out of memory',
    type: 'platform.report',
    status: 'error',
    errorType: 'Runtime.OutOfMemory',
  },
  { is: 'a function that does not start', type: 'platform.initReport', status: 'error' },
])('AuthorizerFailed counts $is', ({ type, status, errorType }) => {
  expect(counts({ type, record: { status, errorType } })).toBe(true);
});

test.each([
  { is: 'a refused token', line: { level: 'INFO', message: { code: 'TOKEN_REFUSED' } } },
  // The authorizer throws to refuse it.
  {
    is: 'the report of a refused token',
    line: { type: 'platform.report', record: { status: 'error', errorType: 'Error' } },
  },
  { is: 'a success', line: { type: 'platform.report', record: { status: 'success' } } },
  { is: 'a start', line: { type: 'platform.initReport', record: { status: 'success' } } },
])('AuthorizerFailed does not count $is', ({ line }) => {
  expect(counts(line)).toBe(false);
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
      Condition: { StringEquals: { 'aws:SourceAccount': ref('AWS::AccountId') } },
    },
  ]);
  expect(propertiesOf(everything, 'AWS::SNS::Subscription')).toEqual([
    { Protocol: 'email', Endpoint: 'oncall@example.com', TopicArn: topic },
  ]);
  expect(propertiesOf(plain, 'AWS::SNS::Subscription')).toEqual([]);
});
