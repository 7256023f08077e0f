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
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Operation } from '../../functions/contract/operations.ts';
import type { Settings } from '../settings.ts';
import { addDashboard } from './dashboard.ts';
import { brokenOff, countLogLines, logged, period } from './metrics.ts';
import type { StoreFunction } from './store-function.ts';

export interface MonitoringProps {
  rest: RestApi;
  handlers: Record<Operation, StoreFunction>;
  authorizer: StoreFunction;
  plants: TableV2;
  accessTokens: TableV2;
  settings: Settings;
}

interface AlarmProps {
  /** What the users of the API notice. */
  impact: string;
  /** What whoever gets the alarm does first. The section of docs/operations.md that has the alarm's name says the rest. */
  response: string;
  metric: IMetric;
  /** In alarm at this value and above. */
  threshold: number;
  /** How many periods it takes, and out of how many: one out of one unless said otherwise, `periods` out of as many. */
  periods?: number;
  outOf?: number;
}

/**
 * Alarms for what a user would feel, and a dashboard. CloudWatch's free allowance (10 alarm metrics, 10 custom metrics, 3 dashboards
 * of 50 metrics each: https://aws.amazon.com/cloudwatch/pricing/) covers one copy of the stack.
 */
export class Monitoring extends Construct {
  private readonly action: SnsAction;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { rest, authorizer, settings } = props;
    this.action = new SnsAction(this.topic(settings['alarm-email']));

    const stage = rest.deploymentStage;
    const namespace = Stack.of(this).stackName;
    const handlers = Object.values(props.handlers);
    const counts = {
      authorizerFailed: countLogLines(
        this,
        namespace,
        'AuthorizerFailed',
        [authorizer],
        FilterPattern.any(logged('AUTHORIZER_FAILED'), brokenOff()),
      ),
      tokenRefused: countLogLines(
        this,
        namespace,
        'TokenRefused',
        [authorizer],
        logged('TOKEN_REFUSED'),
      ),
      databaseUnavailable: countLogLines(
        this,
        namespace,
        'DatabaseUnavailable',
        handlers,
        logged('DATABASE_UNAVAILABLE'),
      ),
      requestFailed: countLogLines(
        this,
        namespace,
        'RequestFailed',
        handlers,
        logged('REQUEST_FAILED'),
      ),
    };

    const alarms = [
      this.alarm('ServerErrors', {
        impact: 'At least one request in a hundred is answered 500 or 503.',
        response:
          'Look at the dashboard for the function or table that fails, then at the log lines of its failures.',
        // The average of this metric is the rate of errors.
        metric: stage.metricServerError({ statistic: Stats.AVERAGE, period }),
        threshold: 0.01,
      }),
      this.alarm('SlowAnswers', {
        impact:
          'For a quarter of an hour, the slowest request in a hundred has taken 3 seconds or longer.',
        response:
          'Compare the latency of functions and tables on the dashboard; a trace in X-Ray shows where one request spent its time.',
        metric: stage.metricLatency({ statistic: Stats.p(99), period }),
        threshold: 3000,
        periods: 3,
      }),
      this.alarm('ThrottledRequests', {
        impact:
          'Callers are, or are about to be, answered 429: requests arrive as fast as a method of the API admits them.',
        response:
          'Find out whose requests they are; raise plant-store:throttle-rate if they are wanted, revoke the token if not.',
        // A REST API has no metric of its own for requests that it throttled.
        metric: stage.metricCount({ statistic: Stats.SUM, period: Duration.minutes(1) }),
        threshold: Math.ceil(0.9 * 60 * settings['throttle-rate']),
      }),
      this.alarm('AuthorizerFailures', {
        impact:
          'Valid tokens are answered 503, because the authorizer cannot judge them. Tokens that were refused do not count.',
        response:
          "Read the cause in the authorizer's log; it is the table of tokens or the function itself.",
        metric: counts.authorizerFailed,
        threshold: 1,
      }),
      this.alarm('DatabaseUnavailable', {
        impact:
          'Requests are answered 503, because DynamoDB throttled them, was slow or could not be reached, three times over.',
        response:
          'The cause in the log says which. For throttling, look for one owner with much of the traffic; else at the AWS Health Dashboard.',
        metric: counts.databaseUnavailable,
        threshold: 3,
      }),
      this.alarm('FunctionErrors', {
        impact:
          'Requests are answered 503, because a function crashed, ran out of time or memory, or does not start.',
        response:
          'Read the end of the log of the function that the dashboard shows; after a deployment, deploy the version before it.',
        metric: new MathExpression({
          // A function that was not called has no data, and a sum with it would have none either.
          expression: handlers.map((_, i) => `FILL(errors${i}, 0)`).join(' + '),
          usingMetrics: Object.fromEntries(
            handlers.map((handler, i) => [
              `errors${i}`,
              handler.metricErrors({ statistic: Stats.SUM, period }),
            ]),
          ),
          label: 'Function errors',
          period,
        }),
        threshold: 1,
        // FILL takes data that is late for none: what came in since is looked at again.
        outOf: 3,
      }),
    ];
    addDashboard(this, { ...props, alarms, counts: Object.values(counts) });
  }

  private alarm(
    name: string,
    { impact, response, metric, threshold, periods = 1, outOf = periods }: AlarmProps,
  ): Alarm {
    const alarm = new Alarm(this, name, {
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription: `Impact: ${impact} What to do: ${response} Runbook: docs/operations.md#${name.toLowerCase()}`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      datapointsToAlarm: periods,
      evaluationPeriods: outOf,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(this.action);
    alarm.addOkAction(this.action);
    return alarm;
  }

  private topic(email: string | undefined): Topic {
    const topic = new Topic(this, 'Alarms', {
      displayName: Stack.of(this).stackName,
      enforceSSL: true,
    });
    // A policy of the topic's own, as for TLS, takes the place of the one that lets the account's alarms publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (email) topic.addSubscription(new EmailSubscription(email));
    return topic;
  }
}
