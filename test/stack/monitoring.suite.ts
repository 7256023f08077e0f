import { expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Operation } from '../../functions/shared/operations.ts';
import { addMonitoring } from '../../lib/monitoring.ts';
import { readSettings } from '../../lib/settings.ts';
import { readHeadings, readPage } from '../docs/page.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { findIds, findProperties, ref, renderText, templates } from './templates.ts';

const { default: plain, everything } = templates;
const alarms = findProperties(everything, 'AWS::CloudWatch::Alarm');
const [topicId] = findIds(everything, 'AWS::SNS::Topic');
const topic = ref(topicId);
const shortenName = (alarm: { AlarmName: string }) => `${alarm.AlarmName.split('-').at(-1)}`;

test('each alarm watches its metrics at its threshold', () => {
  const [stage] = findIds(everything, 'AWS::ApiGateway::Stage');
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
  const describeErrors = (name: string) =>
    lambda(`metric${name}`, {
      MetricName: 'Errors',
      Dimensions: [{ Name: 'FunctionName', Value: ref(name) }],
    });
  const describeThrottles = (name: string) =>
    lambda(`metric${name}`, {
      MetricName: 'Throttles',
      Dimensions: [{ Name: 'FunctionName', Value: ref(name) }],
    });
  const expected = {
    ServerErrors: {
      ...gateway('5XXError', 'Average', 300),
      Threshold: 0.01,
      EvaluationPeriods: 3,
      DatapointsToAlarm: 2,
    },
    FunctionErrors: {
      Metrics: [
        {
          Id: 'expr_1',
          Expression:
            'FILL(metricCreatePlant, 0) + FILL(metricListPlants, 0) + FILL(metricDeletePlant, 0)',
          ReturnData: true,
        },
        describeErrors('CreatePlant'),
        describeErrors('ListPlants'),
        describeErrors('DeletePlant'),
      ],
      Threshold: 1,
      EvaluationPeriods: 3,
      DatapointsToAlarm: 1,
    },
    FunctionThrottles: {
      Metrics: [
        {
          Id: 'expr_1',
          Expression:
            'FILL(metricCreatePlant, 0) + FILL(metricListPlants, 0) + ' +
            'FILL(metricDeletePlant, 0) + FILL(metricAuthorizer, 0)',
          ReturnData: true,
        },
        describeThrottles('CreatePlant'),
        describeThrottles('ListPlants'),
        describeThrottles('DeletePlant'),
        describeThrottles('Authorizer'),
      ],
      Threshold: 1,
      EvaluationPeriods: 3,
      DatapointsToAlarm: 1,
    },
    AuthorizerFailures: {
      Namespace: 'PlantStore-everything',
      MetricName: 'AuthorizerFailed',
      Statistic: 'Sum',
      Period: 300,
      Threshold: 1,
      EvaluationPeriods: 1,
      DatapointsToAlarm: 1,
    },
    HighTraffic: {
      ...gateway('Count', 'Sum', 60),
      // 90% of 200 requests a second, for a minute.
      Threshold: 10_800,
      EvaluationPeriods: 15,
      DatapointsToAlarm: 1,
    },
    DailyRequests: {
      ...gateway('Count', 'Sum', 86_400),
      Threshold: 100_000,
      EvaluationPeriods: 1,
      DatapointsToAlarm: 1,
    },
  };
  const watched = alarms.map((alarm) => {
    const { AlarmName, AlarmDescription, Tags, AlarmActions, OKActions, ...properties } = alarm;
    return [shortenName(alarm), properties];
  });
  const common = {
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    TreatMissingData: 'notBreaching',
  };
  expect(watched).toEqual(
    Object.entries(expected).map(([name, properties]) => [name, { ...common, ...properties }]),
  );
});

test('HighTraffic names the rate below which it is silent, and no price, which would age', () => {
  const highTraffic = findProperties(plain, 'AWS::CloudWatch::Alarm').find(
    (alarm) => shortenName(alarm) === 'HighTraffic',
  );
  expect([highTraffic.Threshold, highTraffic.AlarmDescription]).toEqual([
    2700,
    'Impact: Requests cost money, and callers may get 429. In one minute, the API got at least ' +
      "45 requests a second, 90% of one method's limit. No alarm reports slower traffic, whose " +
      'costs are in docs/costs.md#a-ceiling-for-the-bill. Runbook: docs/runbooks.md#hightraffic',
  ]);
});

test('the mail of DailyRequests has commands that show and stop the traffic', () => {
  const [stage = ''] = findIds(everything, 'AWS::ApiGateway::Stage');
  const { AlarmDescription } = alarms.find((alarm) => shortenName(alarm) === 'DailyRequests');
  expect(renderText(AlarmDescription)).toBe(
    'Impact: In 24 hours, the API got at least 100000 requests, so all traffic should have ' +
      'stopped, and this should return 429: ' +
      `curl -i https://Api.execute-api.AWS::Region.AWS::URLSuffix/${stage}/plants ` +
      'If it does not, stop traffic by hand: ' +
      `aws apigateway update-stage --rest-api-id Api --stage-name ${stage} --patch-operations ` +
      "'op=replace,path=/*/*/throttling/rateLimit,value=0' " +
      "'op=replace,path=/*/*/throttling/burstLimit,value=0' " +
      'Traffic starts again only by the runbook. Runbook: docs/runbooks.md#dailyrequests',
  );
});

test('the alarms of nine operations have at most ten metrics, as CloudWatch demands', () => {
  const app = new App({ outdir: temporaryFolder(), builtinCloudFormationValidation: false });
  const stack = new Stack(app, 'Nine');
  const addFunction = (id: string) =>
    new LambdaFunction(stack, id, {
      code: Code.fromInline('-'),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      logGroup: new LogGroup(stack, `${id}Logs`),
    });
  const rest = new RestApi(stack, 'Rest', { cloudWatchRole: false });
  rest.root.addMethod('GET');
  const handlers = Object.fromEntries(
    [...'123456789'].map((digit) => [digit, addFunction(`Operation${digit}`)]),
  );
  addMonitoring(
    stack,
    rest,
    handlers as Record<string, LambdaFunction> as Record<Operation, LambdaFunction>,
    addFunction('Authorizer'),
    readSettings({}),
  );
  const metrics = findProperties(Template.fromStack(stack), 'AWS::CloudWatch::Alarm').map(
    (alarm) => {
      const watched = alarm.Metrics?.filter((metric: object) => 'MetricStat' in metric) ?? [alarm];
      return [shortenName(alarm), watched.length];
    },
  );
  expect(Object.fromEntries(metrics)).toEqual({
    ServerErrors: 1,
    FunctionErrors: 9,
    FunctionThrottles: 10,
    AuthorizerFailures: 1,
    HighTraffic: 1,
  });
});

test.each(alarms.map((alarm) => ({ name: shortenName(alarm), alarm })))(
  '$name names its impact and its runbook, and publishes to the topic',
  ({ name, alarm }) => {
    const description = renderText(alarm.AlarmDescription);
    const [, section] = /^Impact: .+\. Runbook: docs\/runbooks\.md#(\w+)$/.exec(description) ?? [];
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
    expect(description.length).toBeLessThan(1024);
    expect(section).toBe(name.toLowerCase());
    expect(readHeadings('docs/runbooks.md')).toContain(section);
    expect([alarm.AlarmActions, alarm.OKActions]).toEqual([[topic], [topic]]);
  },
);

test.each(alarms.map(shortenName))('the runbook of %s has all parts', (name) => {
  const [, section = ''] = readPage('docs/runbooks.md').split(`\n## ${name}\n`);
  const [text = ''] = section.split('\n## ');
  expect(text.match(/\*\*(\w+\.|Expect it|A false alarm)\*\*/g)).toEqual([
    '**Impact.**',
    '**Threshold.**',
    '**Expect it**',
    '**A false alarm**',
    '**Check.**',
    '**Do.**',
    '**Verify.**',
  ]);
});

// https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html
const failedAuthorizations = [
  // A line of the function, which Lambda puts under `message`.
  '($.message.code = "AUTHORIZER_FAILED")',
  '($.record.status = "timeout")',
  '($.record.status = "failure")',
  // A crash or no memory. A rejected token is an `Error`, because the authorizer throws.
  '($.record.errorType = "Runtime.*")',
  // The function did not start.
  '(($.type = "platform.initReport") && ($.record.status != "success"))',
];

test('AuthorizerFailed counts failures, and no rejected tokens, in the log of the authorizer', () => {
  const { Authorizer } = everything.findResources('AWS::Lambda::Function');
  const logGroup = Authorizer?.Properties.LoggingConfig.LogGroup;
  expect(findProperties(everything, 'AWS::Logs::MetricFilter')).toEqual([
    {
      FilterPattern: `{ ${failedAuthorizations.join(' || ')} }`,
      LogGroupName: logGroup,
      MetricTransformations: [
        {
          MetricNamespace: 'PlantStore-everything',
          MetricName: 'AuthorizerFailed',
          MetricValue: '1',
        },
      ],
    },
  ]);
});

test('alarms may publish to their topic over TLS only, and alarm-email subscribes to it', () => {
  const publish = { Action: 'sns:Publish', Resource: topic };
  const [{ PolicyDocument }] = findProperties(everything, 'AWS::SNS::TopicPolicy');
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
  expect(findProperties(everything, 'AWS::SNS::Subscription')).toEqual([
    { Protocol: 'email', Endpoint: 'oncall@example.com', TopicArn: topic },
  ]);
  expect(findProperties(plain, 'AWS::SNS::Subscription')).toEqual([]);
});
