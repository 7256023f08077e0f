import { expect, test } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Alarms } from '../../lib/stack/alarms.ts';
import { addMonitoring } from '../../lib/stack/monitoring.ts';
import { readSettings } from '../../lib/stack/settings.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { findProperties } from './templates.ts';

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
  const nine = [...'123456789'].map((digit) => [digit, addFunction(`Operation${digit}`)]);
  const authorizer = addFunction('Authorizer');
  addMonitoring(
    new Alarms(stack, undefined),
    rest,
    Object.fromEntries(nine),
    authorizer,
    readSettings({}),
  );
  const { template } = app.synth().getStackArtifact(stack.artifactId);
  const metrics = findProperties(template, 'AWS::CloudWatch::Alarm').map((alarm) => {
    const watched = alarm.Metrics?.filter((metric: object) => 'MetricStat' in metric) ?? [alarm];
    return [alarm.AlarmName, watched.length];
  });
  expect(Object.fromEntries(metrics)).toEqual({
    'Nine-ServerErrors': 1,
    'Nine-FunctionErrors': 9,
    'Nine-FunctionThrottles': 10,
    'Nine-AuthorizerFailures': 1,
    'Nine-HighTraffic': 1,
  });
});
