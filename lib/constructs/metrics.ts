import { Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { FilterPattern, type JsonPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { LogCode } from '../../functions/shared/log-codes.ts';
import type { Operation } from '../../functions/shared/operations.ts';
import type { TableName } from '../../functions/shared/table-schema.ts';
import type { Settings } from '../settings.ts';
import type { StoreFunction } from './store-function.ts';

export const period = Duration.minutes(5);

/** The parts of the stack that alarms and the dashboard show. */
export interface Monitored {
  rest: RestApi;
  handlers: Record<Operation, StoreFunction>;
  authorizer: StoreFunction;
  tables: Record<TableName, TableV2>;
  settings: Settings;
}

/**
 * Matches lines with a code. Lambda's JSON format puts an object that a function logs under
 * `message`
 * (https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html).
 */
export const logged = (code: LogCode): JsonPattern =>
  FilterPattern.stringValue('$.message.code', '=', code);

/**
 * Matches Lambda's report of an invocation that ended before the function could log anything
 * (https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html). Thrown errors do
 * not count, because the authorizer throws to refuse a token.
 */
export const crashOrTimeout = (): JsonPattern =>
  FilterPattern.any(
    FilterPattern.stringValue('$.record.status', '=', 'timeout'),
    FilterPattern.stringValue('$.record.errorType', '=', 'Runtime.ExitError'),
    FilterPattern.stringValue('$.record.errorType', '=', 'Runtime.OutOfMemory'),
    FilterPattern.all(
      FilterPattern.stringValue('$.type', '=', 'platform.initReport'),
      FilterPattern.stringValue('$.record.status', '=', 'error'),
    ),
  );

/** Matches Lambda's report of an invocation that failed in any way. */
export const failedInvocation = (): JsonPattern =>
  FilterPattern.any(crashOrTimeout(), FilterPattern.stringValue('$.record.status', '=', 'error'));

/** Counts the functions' matching log lines as a metric, which adds nothing to a request. */
export function countLogLines(
  scope: Construct,
  name: string,
  functions: StoreFunction[],
  pattern: JsonPattern,
): Metric {
  const namespace = Stack.of(scope).stackName;
  for (const { node, logGroup } of functions) {
    new MetricFilter(scope, `${node.id}${name}`, {
      logGroup,
      filterPattern: pattern,
      metricNamespace: namespace,
      metricName: name,
    });
  }
  return new Metric({ namespace, metricName: name, statistic: Stats.SUM, period });
}

/** Returns the sum of metrics as an expression, in which a metric without data counts as 0. */
export function sumOf(name: string, metrics: Metric[]) {
  const named = metrics.map((metric, i) => [`${name}${i}`, metric] as const);
  return {
    expression: named.map(([id]) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(named),
  };
}
