import { Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type IFilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { LogCode } from '../../functions/shared/log-codes.ts';
import type { Operation } from '../../functions/shared/operations.ts';
import type { Alarms } from './alarms.ts';
import type { Settings } from './settings.ts';

const period = Duration.minutes(5);
const sum = { statistic: Stats.SUM, period };

/**
 * Adds alarms on errors and on costly traffic. Without `daily-requests`, one copy of the stack has
 * exactly the 10 alarm metrics that are free in an account: https://aws.amazon.com/cloudwatch/pricing/
 */
export function addMonitoring(
  alarms: Alarms,
  rest: RestApi,
  handlers: Record<Operation, LambdaFunction>,
  authorizer: LambdaFunction,
  settings: Settings,
): void {
  const stage = rest.deploymentStage;

  alarms.add('ServerErrors', {
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
  alarms.add('FunctionErrors', {
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
  alarms.add('FunctionThrottles', {
    impact: 'Requests get 503, because Lambda throttled a function.',
    metric: sumOverFunctions([...functions, authorizer], (each) => each.metricThrottles(sum)),
    threshold: 1,
    evaluationPeriods: 3,
    datapointsToAlarm: 1,
  });
  alarms.add('AuthorizerFailures', {
    impact: 'Callers with valid tokens get 503, because the authorizer cannot check the tokens.',
    metric: new MetricFilter(alarms, 'AuthorizerFailed', {
      logGroup: authorizer.logGroup,
      filterPattern: matchAuthorizerFailures(),
      metricNamespace: Stack.of(alarms).stackName,
      metricName: 'AuthorizerFailed',
    }).metric(sum),
    threshold: 1,
    evaluationPeriods: 1,
    datapointsToAlarm: 1,
  });
  // One method's limit, though each method has it: a REST API has no metric of throttled requests,
  // and metrics of single methods cost extra.
  const alarmRate = (9 * settings['throttle-rate']) / 10;
  alarms.add('HighTraffic', {
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
