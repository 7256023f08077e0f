import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { FilterPattern, type JsonPattern } from 'aws-cdk-lib/aws-logs';
import type { LogCode } from '../../functions/shared/log-codes.ts';
import type { Operation } from '../../functions/shared/operations.ts';
import type { TableName } from '../../functions/shared/table-schema.ts';
import type { Settings } from '../settings.ts';
import type { StoreFunction } from './store-function.ts';

export const period = Duration.minutes(5);
export const sum = { statistic: Stats.SUM, period };

/** The parts of the stack that alarms and the dashboard show. */
export interface Monitored {
  rest: RestApi;
  handlers: Record<Operation, StoreFunction>;
  authorizer: StoreFunction;
  tables: Record<TableName, TableV2>;
  settings: Settings;
}

/**
 * Matches lines with a code. Lambda's JSON format puts what a function logs under `message`:
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
 */
export const logged = (code: LogCode): JsonPattern =>
  FilterPattern.stringValue('$.message.code', '=', code);

/**
 * Matches Lambda's report of an invocation. Each invocation has one. One that fails also has a
 * `platform.runtimeDone` with the same status, which must not count again:
 * https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html
 */
export const invocationReport = (): JsonPattern =>
  FilterPattern.stringValue('$.type', '=', 'platform.report');

const failed = (): JsonPattern => FilterPattern.stringValue('$.record.status', '!=', 'success');

/** Matches the report of a function that did not start. */
const failedInit = (): JsonPattern =>
  FilterPattern.all(FilterPattern.stringValue('$.type', '=', 'platform.initReport'), failed());

/** Matches the report of an invocation that failed, or of a function that did not start. */
export const failedInvocation = (): JsonPattern =>
  FilterPattern.any(failedInit(), FilterPattern.all(invocationReport(), failed()));

/**
 * Matches the report of an invocation that ended before the function could log anything, or of a
 * function that did not start. Thrown errors do not count, because the authorizer throws to refuse
 * a token.
 */
export const crashOrTimeout = (): JsonPattern =>
  FilterPattern.any(
    failedInit(),
    FilterPattern.all(
      invocationReport(),
      FilterPattern.any(
        FilterPattern.stringValue('$.record.status', '=', 'timeout'),
        FilterPattern.stringValue('$.record.errorType', '=', 'Runtime.ExitError'),
        FilterPattern.stringValue('$.record.errorType', '=', 'Runtime.OutOfMemory'),
      ),
    ),
  );
