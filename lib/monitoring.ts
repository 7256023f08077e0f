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
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type IFilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { LogCode } from '../functions/shared/log-codes.ts';
import type { Operation } from '../functions/shared/operations.ts';
import type { Settings } from './settings.ts';

interface AlarmProps {
  /** The effect on users of the API or on the bill. docs/runbooks.md has a section for the alarm. */
  impact: string;
  metric: IMetric;
  /** The alarm goes off at this value and above. */
  threshold: number;
  /** The number of latest periods to evaluate. One of them must reach the threshold. */
  periods: number;
}

const period = Duration.minutes(5);
const sum = { statistic: Stats.SUM, period };

/** US dollars for a month with one request a second (docs/costs.md). */
const monthlyCost = { ordinaryRequests: 13, largestLists: 370 };

/**
 * Adds alarms on errors and on costly traffic. One copy of the stack has exactly the 10 alarm metrics
 * that are free in an account: https://aws.amazon.com/cloudwatch/pricing/
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
      alarmDescription: `Impact: ${impact} Runbook: docs/runbooks.md#${name.toLowerCase()}`,
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
    impact: 'At least 1% of requests get a 500 or 503.',
    // The average of this metric is the error rate. It may lack responses whose status a gateway
    // response changed to 503, so functions and the authorizer have alarms of their own:
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
    metric: stage.metricServerError({ statistic: Stats.AVERAGE, period }),
    threshold: 0.01,
    periods: 1,
  });
  addAlarm('FunctionErrors', {
    impact:
      'Requests get 503, because a function crashed, timed out, ran out of memory, did not start ' +
      'or was throttled by Lambda.',
    metric: functionFailures(Object.values(handlers), authorizer),
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
  // One method's limit, though each method has it: a REST API has no metric of throttled requests,
  // and metrics of single methods cost extra.
  const alarmRate = (9 * settings['throttle-rate']) / 10;
  addAlarm('HighTraffic', {
    impact: describeTraffic(alarmRate),
    metric: stage.metricCount({ statistic: Stats.SUM, period: Duration.minutes(1) }),
    threshold: Math.round(60 * alarmRate),
    // The alarm ends after a quiet quarter of an hour, so that an on-off flood sends two mails.
    periods: 15,
  });
}

/** Returns the impact of traffic at a rate in requests a second, and the cost of traffic below it. */
function describeTraffic(rate: number): string {
  const dollars = (cost: number): string =>
    `$${Number((rate * cost).toPrecision(2)).toLocaleString('en-US')}`;
  return (
    `Requests cost money, and callers may get 429. In one minute, the API got at least ${rate} ` +
    "requests a second, 90% of one method's limit. No alarm reports slower traffic, which can " +
    `cost about ${dollars(monthlyCost.ordinaryRequests)} a month, or ` +
    `${dollars(monthlyCost.largestLists)} if it lists the largest plants.`
  );
}

/** Returns the number of invocations that failed or that Lambda throttled. */
function functionFailures(handlers: LambdaFunction[], authorizer: LambdaFunction): MathExpression {
  const metrics: Record<string, IMetric> = {};
  for (const handler of handlers) {
    // Handlers never throw, so each error is a crash or a timeout.
    metrics[`errorsOf${handler.node.id}`] = handler.metricErrors(sum);
  }
  // Lambda counts a rejected token as an error of the authorizer, so only its throttles count here.
  for (const throttled of [...handlers, authorizer]) {
    metrics[`throttlesOf${throttled.node.id}`] = throttled.metricThrottles(sum);
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
 * Matches log lines about a token that the authorizer could not check. Lambda's own metric would
 * count rejected tokens too. Lambda logs crashes, timeouts and failed starts in lines of its own:
 * https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html
 */
function authorizerFailed(): IFilterPattern {
  const code: LogCode = 'AUTHORIZER_FAILED';
  return FilterPattern.any(
    FilterPattern.stringValue('$.message.code', '=', code),
    FilterPattern.stringValue('$.record.status', '=', 'timeout'),
    // A `Sandbox.*` error: Lambda itself failed to run the function.
    FilterPattern.stringValue('$.record.status', '=', 'failure'),
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
