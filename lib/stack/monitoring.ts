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
import type { LogCode } from '../../functions/shared/log-codes.ts';
import type { Operation } from '../../functions/shared/operations.ts';
import { addCeiling } from './ceiling.ts';
import type { Settings } from './settings.ts';

interface AlarmProps {
  /**
   * The effect on users of the API or on the bill. docs/runbooks.md has a section for the alarm.
   */
  impact: string;
  metric: IMetric;
  /** The alarm goes off at this value and above. */
  threshold: number;
  /** The number of latest periods to evaluate. */
  evaluationPeriods: number;
  /** The number of these periods that must reach the threshold. */
  datapointsToAlarm: number;
}

const period = Duration.minutes(5);
const sum = { statistic: Stats.SUM, period };

/**
 * Adds alarms on errors and on costly traffic. Without `daily-requests`, one copy of the stack has
 * exactly the 10 alarm metrics that are free in an account: https://aws.amazon.com/cloudwatch/pricing/
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

  function addAlarm(name: string, { impact, ...props }: AlarmProps): Alarm {
    const alarm = new Alarm(scope, name, {
      ...props,
      alarmName: `${stack.stackName}-${name}`,
      alarmDescription: `Impact: ${impact} Runbook: docs/runbooks.md#${name.toLowerCase()}`,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(mail);
    alarm.addOkAction(mail);
    return alarm;
  }

  addAlarm('ServerErrors', {
    impact: 'In two of the last three 5-minute periods, at least 1% of requests got a 500 or 503.',
    // The average of this metric is the error rate. It may lack responses whose status a gateway
    // response changed to 503, so functions and the authorizer have alarms of their own:
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
    metric: stage.metricServerError({ statistic: Stats.AVERAGE, period }),
    threshold: 0.01,
    // At low traffic, a single 503 is more than 1%, and the caller retries it.
    evaluationPeriods: 3,
    datapointsToAlarm: 2,
  });
  const functions = Object.values(handlers);
  addAlarm('FunctionErrors', {
    impact:
      'Requests get 503, because a function crashed, timed out, ran out of memory or did not start.',
    // Handlers never throw, so each error is a crash or a timeout. Lambda counts a rejected token
    // as an error of the authorizer, which AuthorizerFailures watches instead.
    metric: sumOverFunctions(functions, (each) => each.metricErrors(sum)),
    threshold: 1,
    // FILL counts late data as 0, so evaluate the last three periods.
    evaluationPeriods: 3,
    datapointsToAlarm: 1,
  });
  addAlarm('FunctionThrottles', {
    impact: 'Requests get 503, because Lambda throttled a function.',
    metric: sumOverFunctions([...functions, authorizer], (each) => each.metricThrottles(sum)),
    threshold: 1,
    evaluationPeriods: 3,
    datapointsToAlarm: 1,
  });
  addAlarm('AuthorizerFailures', {
    impact: 'Callers with valid tokens get 503, because the authorizer cannot check the tokens.',
    metric: new MetricFilter(scope, 'AuthorizerFailed', {
      logGroup: authorizer.logGroup,
      filterPattern: matchAuthorizerFailures(),
      metricNamespace: stack.stackName,
      metricName: 'AuthorizerFailed',
    }).metric(sum),
    threshold: 1,
    evaluationPeriods: 1,
    datapointsToAlarm: 1,
  });
  // One method's limit, though each method has it: a REST API has no metric of throttled requests,
  // and metrics of single methods cost extra.
  const alarmRate = (9 * settings['throttle-rate']) / 10;
  addAlarm('HighTraffic', {
    impact:
      'Requests cost money, and callers may get 429. In one minute, the API got at least ' +
      `${alarmRate} requests a second, 90% of one method's limit. This alarm misses slower ` +
      'traffic, whose costs are in docs/costs.md#a-ceiling-for-the-bill.',
    metric: stage.metricCount({ statistic: Stats.SUM, period: Duration.minutes(1) }),
    threshold: Math.round(60 * alarmRate),
    // The alarm ends after a quiet quarter of an hour, so that an on-off flood sends two mails.
    evaluationPeriods: 15,
    datapointsToAlarm: 1,
  });
  const dailyRequests = settings['daily-requests'];
  if (dailyRequests) {
    const alarm = addAlarm('DailyRequests', {
      impact: describeCeiling(rest, dailyRequests),
      metric: stage.metricCount({ statistic: Stats.SUM, period: Duration.days(1) }),
      threshold: dailyRequests,
      evaluationPeriods: 1,
      datapointsToAlarm: 1,
    });
    addCeiling(stack, rest, alarm);
  }
}

/** The mail must help where nobody has this repository at hand. */
function describeCeiling(rest: RestApi, requests: number): string {
  return (
    `In 24 hours, the API got at least ${requests} requests, so all traffic should have stopped, ` +
    `and this should return 429: curl -i ${rest.urlForPath('/plants')} ` +
    `If it does not, stop traffic by hand: aws apigateway update-stage --rest-api-id ` +
    `${rest.restApiId} --stage-name ${rest.deploymentStage.stageName} --patch-operations ` +
    "'op=replace,path=/*/*/throttling/rateLimit,value=0' " +
    "'op=replace,path=/*/*/throttling/burstLimit,value=0' Traffic starts again only by the runbook."
  );
}

/**
 * Returns the sum of a metric over functions. CloudWatch allows ten metrics in an expression:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
 */
function sumOverFunctions(
  functions: LambdaFunction[],
  metricFor: (each: LambdaFunction) => IMetric,
): MathExpression {
  const metrics = Object.fromEntries(
    functions.map((each) => [`metric${each.node.id}`, metricFor(each)]),
  );
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
function matchAuthorizerFailures(): IFilterPattern {
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
