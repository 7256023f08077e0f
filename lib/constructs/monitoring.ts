import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type JsonPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { settingKey } from '../setting-facts.ts';
import { addDashboard } from './dashboard.ts';
import {
  crashOrTimeout,
  failedInvocation,
  invocationReport,
  logged,
  type Monitored,
  period,
  sum,
} from './metrics.ts';
import type { StoreFunction } from './store-function.ts';

interface AlarmProps {
  /** What the users of the API notice. */
  impact: string;
  /** The first thing to do. The section of docs/operations.md named like the alarm has more. */
  response: string;
  metric: IMetric;
  /** The alarm goes off at this value and above: 1 by default. */
  threshold?: number;
  /** How many of the last `outOf` periods must reach the threshold: 1 by default. */
  periods?: number;
  /** The same as `periods` by default. */
  outOf?: number;
}

/**
 * Adds alarms for what users notice, and a dashboard. One copy of the stack stays within
 * CloudWatch's free allowance: 10 alarm metrics, 10 custom metrics and 3 dashboards of 50 metrics
 * each (https://aws.amazon.com/cloudwatch/pricing/).
 */
export function addMonitoring(stack: Stack, parts: Monitored): void {
  const scope = new Construct(stack, 'Monitoring');
  const { rest, authorizer, settings } = parts;
  const stage = rest.deploymentStage;
  const handlers = Object.values(parts.handlers);
  const action = new SnsAction(addTopic(scope, settings['alarm-email']));

  /** Adds up a value of the functions' matching log lines, which adds nothing to a request. */
  const addUp = (
    metricName: string,
    functions: StoreFunction[],
    filterPattern: JsonPattern,
    metricValue: string,
  ): Metric => {
    const metricNamespace = stack.stackName;
    const metric = { filterPattern, metricNamespace, metricName, metricValue };
    for (const { node, logGroup } of functions) {
      new MetricFilter(scope, `${node.id}${metricName}`, { logGroup, ...metric });
    }
    return new Metric({ namespace: metricNamespace, metricName, ...sum });
  };
  const count = (
    metricName: string,
    functions: StoreFunction[],
    filterPattern: JsonPattern,
  ): Metric => addUp(metricName, functions, filterPattern, '1');
  const authorizerFailure = FilterPattern.any(logged('AUTHORIZER_FAILED'), crashOrTimeout());
  const counts = {
    authorizerFailed: count('AuthorizerFailed', [authorizer], authorizerFailure),
    tokenRefused: count('TokenRefused', [authorizer], logged('TOKEN_REFUSED')),
    databaseUnavailable: count('DatabaseUnavailable', handlers, logged('DATABASE_UNAVAILABLE')),
    requestFailed: count('RequestFailed', handlers, logged('REQUEST_FAILED')),
    // One metric, however many functions there are. An alarm on their own metrics costs for each.
    functionFailed: count('FunctionFailed', handlers, failedInvocation()),
  };

  const alarms: Alarm[] = [];
  const alarm = (name: string, props: AlarmProps): void => {
    const { impact, response, metric, threshold = 1, periods = 1, outOf = periods } = props;
    const made = new Alarm(scope, name, {
      alarmName: `${stack.stackName}-${name}`,
      alarmDescription:
        `Impact: ${impact} What to do: ${response} ` +
        `Runbook: docs/operations.md#${name.toLowerCase()}`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      datapointsToAlarm: periods,
      evaluationPeriods: outOf,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    made.addAlarmAction(action);
    made.addOkAction(action);
    alarms.push(made);
  };

  alarm('ServerErrors', {
    impact: 'At least one request in a hundred gets a 500 or 503.',
    response: 'Find the failing function or table on the dashboard, then read its log lines.',
    // The average of this metric is the rate of errors.
    metric: stage.metricServerError({ statistic: Stats.AVERAGE, period }),
    threshold: 0.01,
  });
  alarm('SlowAnswers', {
    impact: 'For a quarter of an hour, one request in a hundred has taken 3 seconds or longer.',
    response:
      'Compare the latency of functions and tables on the dashboard. ' +
      'A trace in X-Ray shows where one request spent its time.',
    metric: stage.metricLatency({ statistic: Stats.p(99), period }),
    threshold: 3000,
    periods: 3,
  });
  alarm('ThrottledRequests', {
    impact:
      'Callers may get 429. In one minute, all methods together got at least nine tenths of ' +
      'the requests that one method admits.',
    response:
      'Find out whose requests they are. ' +
      `Raise ${settingKey('throttle-rate')} if they are wanted, and revoke the token if not.`,
    // A REST API has no metric for what it throttled, and metrics of single methods cost extra.
    metric: stage.metricCount({ ...sum, period: Duration.minutes(1) }),
    threshold: Math.ceil(0.9 * 60 * settings['throttle-rate']),
    // The alarm ends after a quiet quarter of an hour, so that an on-off flood sends two mails.
    outOf: 15,
  });
  alarm('AuthorizerFailures', {
    impact:
      'Callers with valid tokens get 503, because the authorizer cannot check the tokens. ' +
      'Refused tokens do not count.',
    response:
      "Read the cause in the authorizer's log: the AccessTokens table or the function itself.",
    metric: counts.authorizerFailed,
  });
  alarm('DatabaseUnavailable', {
    impact:
      'Requests get 503, because DynamoDB throttled each of them three times, was slow or ' +
      'could not be reached.',
    response:
      'The cause in the log says which. If it is throttling, look for an owner with much ' +
      'traffic. Otherwise look at the AWS Health Dashboard.',
    metric: counts.databaseUnavailable,
    threshold: 3,
  });
  alarm('FunctionErrors', {
    impact:
      'Requests get 503, because a function crashed, timed out, ran out of memory or ' +
      'does not start.',
    response:
      'Read the end of the log of the function that the dashboard shows. ' +
      'If you have just deployed, deploy the version before.',
    metric: counts.functionFailed,
  });
  alarm('ThrottledFunctions', {
    impact: 'Requests get 503, because Lambda runs as many functions as the account may run.',
    response: 'Ask for a higher quota under Service Quotas, Lambda, Concurrent executions.',
    // The sum of all functions of the account and region, which share the quota, is one metric.
    metric: LambdaFunction.metricAllThrottles(sum),
  });
  // Lambda's own metric of durations leaves out INIT, which is charged since August 2025:
  // https://aws.amazon.com/blogs/compute/aws-lambda-standardizes-billing-for-init-phase/
  const billedMs = addUp(
    'BilledMilliseconds',
    [...handlers, authorizer],
    invocationReport(),
    '$.record.metrics.billedDurationMs',
  );
  addDashboard(scope, { ...parts, alarms, counts: Object.values(counts), billedMs });
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
