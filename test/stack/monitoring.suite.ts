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
import { findProperties, renderText, templates } from './templates.ts';

const { everything } = templates;
const alarms = findProperties(everything, 'AWS::CloudWatch::Alarm');
const shortenName = (alarm: { AlarmName: string }) => `${alarm.AlarmName.split('-').at(-1)}`;

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
  '$name names its impact and its runbook',
  ({ name, alarm }) => {
    const description = renderText(alarm.AlarmDescription);
    const [, section] = /^Impact: .+\. Runbook: docs\/runbooks\.md#(\w+)$/.exec(description) ?? [];
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
    expect(description.length).toBeLessThan(1024);
    expect(section).toBe(name.toLowerCase());
    expect(readHeadings('docs/runbooks.md')).toContain(section);
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
