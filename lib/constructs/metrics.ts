import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { FilterPattern, type JsonPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { LogCode } from '../../functions/contract/log-codes.ts';
import type { StoreFunction } from './store-function.ts';

export const period = Duration.minutes(5);

/** Lambda's JSON format keeps what a function logs, as an object, under `message` (https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html). */
export const logged = (code: LogCode): JsonPattern =>
  FilterPattern.stringValue('$.message.code', '=', code);

/**
 * An invocation that ended before the function could log anything, by Lambda's own report of it
 * (https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html). An error that was thrown is not one: so a refused token ends.
 */
export const brokenOff = (): JsonPattern =>
  FilterPattern.any(
    FilterPattern.stringValue('$.record.status', '=', 'timeout'),
    FilterPattern.stringValue('$.record.errorType', '=', 'Runtime.ExitError'),
    FilterPattern.stringValue('$.record.errorType', '=', 'Runtime.OutOfMemory'),
    FilterPattern.all(
      FilterPattern.stringValue('$.type', '=', 'platform.initReport'),
      FilterPattern.stringValue('$.record.status', '=', 'error'),
    ),
  );

/** Counts the log lines of functions that match, as a metric in the namespace of the stack's name; it costs no byte and no time in a request. */
export function countLogLines(
  scope: Construct,
  namespace: string,
  name: string,
  functions: StoreFunction[],
  pattern: JsonPattern,
): Metric {
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

/** A metric of DynamoDB's own for a table. */
export const tableMetric = (
  table: TableV2,
  metricName: string,
  label: string,
  more: { operation?: string; statistic?: string } = {},
) =>
  new Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    dimensionsMap: {
      TableName: table.tableName,
      ...(more.operation && { Operation: more.operation }),
    },
    statistic: more.statistic ?? Stats.SUM,
    period,
    label,
  });
