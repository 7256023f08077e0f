import { Duration, Stack } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IMetric,
  type IWidget,
  MathExpression,
  Metric,
  type MetricOptions,
  SingleValueWidget,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { prices } from '../prices.ts';
import { type Monitored, period, sum } from './metrics.ts';
import type { StoreFunction } from './store-function.ts';

interface DashboardProps extends Monitored {
  alarms: IAlarm[];
  /** The metrics that are counted from the log. */
  counts: IMetric[];
  /** What Lambda charges for, of all functions, in milliseconds. */
  billedMs: Metric;
}

/** Adds one screen: whether the stack is healthy, which part is slow and what it costs. */
export function addDashboard(scope: Construct, props: DashboardProps): void {
  const { rest, handlers, authorizer, alarms, counts, billedMs, settings } = props;
  const stage = rest.deploymentStage;
  const functions = [...Object.values(handlers), authorizer];
  const tables = Object.values(props.tables);
  const p99 = { statistic: Stats.p(99), period };

  const graph = (title: string, left: IMetric[]): IWidget =>
    new GraphWidget({ title, left, width: 8, height: 6 });
  const ofEach = (metric: (f: StoreFunction) => Metric) =>
    functions.map((f) => metric(f).with({ label: f.node.id }));
  const ofTables = (name: string) =>
    tables.map((table) => tableMetric(table, name, { ...sum, label: `${table.node.id} ${name}` }));
  // CDK's own metric of a log group lacks the dimension.
  const incomingBytes = { ...sum, namespace: 'AWS/Logs', metricName: 'IncomingBytes' };
  const loggedBytes = functions.map(({ logGroup }) => {
    const dimensionsMap = { LogGroupName: logGroup.logGroupName };
    return new Metric({ ...incomingBytes, dimensionsMap });
  });
  const durations = ofEach((f) => f.metricDuration(p99));
  const latencies = functions
    .flatMap(({ tables }) => tables)
    .flatMap(({ table, actions }) =>
      actions.map((action) => {
        const label = `${table.node.id} ${action}`;
        const options = { ...p99, label, dimensionsMap: { Operation: action } };
        return [label, tableMetric(table, 'SuccessfulRequestLatency', options)] as const;
      }),
    );

  const dashboard = new Dashboard(scope, 'Dashboard', {
    // Dashboards are global to an account, and a copy in another region has the same stack name.
    dashboardName: `${Stack.of(scope).stackName}-${Stack.of(scope).region}`,
    defaultInterval: Duration.days(1),
  });
  const title = 'Is it healthy? (docs/operations.md says what to do)';
  dashboard.addWidgets(new AlarmStatusWidget({ title, alarms, width: 24, height: 3 }));
  dashboard.addWidgets(
    graph('Requests', [
      stage.metricCount({ ...sum, label: 'All' }),
      stage.metricClientError({ ...sum, label: '4xx' }),
      stage.metricServerError({ ...sum, label: '5xx' }),
    ]),
    graph('Failures and refused tokens, by log code', counts),
    graph('Throttled', [
      ...ofEach((f) => f.metricThrottles(sum)),
      ...ofTables('ReadThrottleEvents'),
      ...ofTables('WriteThrottleEvents'),
    ]),
  );
  dashboard.addWidgets(
    graph('Which part is slow? API, ms', [
      stage.metricLatency({ statistic: Stats.p(50), period, label: 'p50' }),
      stage.metricLatency({ ...p99, label: 'p99' }),
    ]),
    graph('Functions, p99, ms', durations),
    // Several functions may take the same action.
    graph('Tables, p99, ms', [...new Map(latencies).values()]),
  );

  const perMillion = (price: number) => `/ 1000000 * ${price}`;
  const perGbSecond = prices.lambdaGbSecond[settings.architecture];
  dashboard.addWidgets(
    new SingleValueWidget({
      title:
        'What does it cost? US dollars in the time shown, at us-east-1 prices, ' +
        'before free allowances',
      metrics: [
        cost('API Gateway', {
          requests: [[stage.metricCount(sum)], perMillion(prices.millionGatewayRequests)],
        }),
        cost('Lambda', {
          invocations: [
            functions.map((f) => f.metricInvocations(sum)),
            perMillion(prices.millionLambdaRequests),
          ],
          ms: [[billedMs], `/ 1000 * ${settings.memory / 1024} * ${perGbSecond}`],
        }),
        cost('DynamoDB', {
          reads: [ofTables('ConsumedReadCapacityUnits'), perMillion(prices.millionTableReads)],
          writes: [ofTables('ConsumedWriteCapacityUnits'), perMillion(prices.millionTableWrites)],
        }),
        cost('Logs', { bytes: [loggedBytes, `/ 1000000000 * ${prices.logGb}`] }),
      ],
      setPeriodToTimeRange: true,
      width: 16,
      height: 4,
    }),
    new TextWidget({
      markdown:
        'The estimate leaves out storage, backups, traces, access logs and data sent. ' +
        'docs/cost-and-scale.md has them.',
      width: 8,
      height: 4,
    }),
  );
}

/** CDK's own metric of a table would also name the account and the region. */
const tableMetric = (table: TableV2, metricName: string, options: MetricOptions) =>
  new Metric({
    ...options,
    namespace: 'AWS/DynamoDB',
    metricName,
    dimensionsMap: { TableName: table.tableName, ...options.dimensionsMap },
  });

/** Adds up metrics, of which one without data counts as 0, and makes dollars of each sum. */
function cost(label: string, terms: Record<string, [metrics: Metric[], price: string]>) {
  const sums = Object.entries(terms).map(([name, [metrics, price]]) => {
    const filled = metrics.map((_, i) => `FILL(${name}${i}, 0)`);
    return `(${filled.join(' + ')}) ${price}`;
  });
  const named = Object.entries(terms).flatMap(([name, [metrics]]) =>
    metrics.map((metric, i) => [`${name}${i}`, metric]),
  );
  return new MathExpression({
    label,
    expression: sums.join(' + '),
    usingMetrics: Object.fromEntries(named),
    period,
  });
}
