import { Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type IFilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { LogCode } from '../functions/shared/log-codes.ts';
import type { Operation } from '../functions/shared/operations.ts';
import type { Settings } from './settings.ts';

interface AlarmProps {
  /** What the users of the API notice. docs/operations.md says in a section what to do. */
  impact: string;
  metric: IMetric;
  /** The alarm goes off at this value and above. */
  threshold: number;
  /** How many of the last periods are looked at, of which one must reach the threshold. */
  periods: number;
}

const period = Duration.minutes(5);
const sum = { statistic: Stats.SUM, period };

/**
 * Adds alarms for what users notice and for traffic that costs money. One copy of the stack has 7
 * metrics with alarms, of 10 that are free in an account: https://aws.amazon.com/cloudwatch/pricing/
 */
export function addMonitoring(
  stack: Stack,
  rest: RestApi,
  handlers: Record<Operation, LambdaFunction>,
  authorizer: LambdaFunction,
  settings: Settings,
): void {
  const scope = new Construct(stack, 'Monitoring');
  const stage = rest.deploymentStage;
  const mail = new SnsAction(addTopic(scope, settings['alarm-email']));

  function addAlarm(name: string, { impact, metric, threshold, periods }: AlarmProps): void {
    const alarm = new Alarm(scope, name, {
      alarmName: `${stack.stackName}-${name}`,
      alarmDescription: `Impact: ${impact} Runbook: docs/operations.md#${name.toLowerCase()}`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      datapointsToAlarm: 1,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(mail);
    alarm.addOkAction(mail);
  }

  addAlarm('ServerErrors', {
    impact: 'At least one request in a hundred gets a 500 or 503.',
    // The average of this metric is the rate of errors. It may lack answers whose status a gateway
    // response changed to 503, so that functions and the authorizer have alarms of their own:
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
    metric: stage.metricServerError({ statistic: Stats.AVERAGE, period }),
    threshold: 0.01,
    periods: 1,
  });
  addAlarm('FunctionErrors', {
    impact:
      'Requests get 503, because a function crashed, ran out of time or memory or does not ' +
      'start, or because Lambda runs as many functions as the account may run.',
    metric: functionFailures(Object.values(handlers)),
    threshold: 1,
    // FILL counts late data as 0, so evaluate the last three periods.
    periods: 3,
  });
  addAlarm('AuthorizerFailures', {
    impact: 'Callers with valid tokens get 503, because the authorizer cannot check the tokens.',
    metric: new MetricFilter(scope, 'AuthorizerFailed', {
      logGroup: authorizer.logGroup,
      filterPattern: authorizerFailed(),
      metricNamespace: stack.stackName,
      metricName: 'AuthorizerFailed',
    }).metric(sum),
    threshold: 1,
    periods: 1,
  });
  addAlarm('ThrottledRequests', {
    impact:
      'Callers may get 429, and requests cost money. In one minute, all methods together got at ' +
      'least nine tenths of the requests that one method admits.',
    // A REST API has no metric for what it throttled, and metrics of single methods cost extra.
    metric: stage.metricCount({ statistic: Stats.SUM, period: Duration.minutes(1) }),
    threshold: Math.ceil(0.9 * 60 * settings['throttle-rate']),
    // The alarm ends after a quiet quarter of an hour, so that an on-off flood sends two mails.
    periods: 15,
  });
}

/** Returns the sum of the invocations that failed and of those that Lambda throttled. */
function functionFailures(handlers: LambdaFunction[]): MathExpression {
  const metrics: Record<string, IMetric> = {
    // All functions of the account and region share the quota, and their sum is one metric.
    throttles: LambdaFunction.metricAllThrottles(sum),
  };
  for (const handler of handlers) {
    // The handlers never throw, so that each error is a crash or a timeout.
    metrics[`errorsOf${handler.node.id}`] = handler.metricErrors(sum);
  }
  return new MathExpression({
    expression: Object.keys(metrics)
      .map((name) => `FILL(${name}, 0)`)
      .join(' + '),
    usingMetrics: metrics,
    period,
  });
}

/**
 * Matches log lines about a token that the authorizer could not check. Lambda's own metric counts
 * the errors that it throws to refuse a token, too. Lambda reports an invocation that crashed or
 * ran out of time, and a function that did not start, in lines of its own:
 * https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html
 */
function authorizerFailed(): IFilterPattern {
  const code: LogCode = 'AUTHORIZER_FAILED';
  return FilterPattern.any(
    FilterPattern.stringValue('$.message.code', '=', code),
    FilterPattern.stringValue('$.record.status', '=', 'timeout'),
    FilterPattern.stringValue('$.record.errorType', '=', 'Runtime.*'),
    FilterPattern.all(
      FilterPattern.stringValue('$.type', '=', 'platform.initReport'),
      FilterPattern.stringValue('$.record.status', '!=', 'success'),
    ),
  );
}

function addTopic(scope: Construct, email: string | undefined): Topic {
  const { stackName, account } = Stack.of(scope);
  const topic = new Topic(scope, 'Alarms', { displayName: stackName, enforceSSL: true });
  // The policy that demands TLS replaces the default one, which lets alarms publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  );
  if (email) {
    topic.addSubscription(new EmailSubscription(email));
  }
  return topic;
}
