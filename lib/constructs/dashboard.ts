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
  SingleValueWidget,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { prices } from '../prices.ts';
import { type Monitored, period, sumOf } from './metrics.ts';
import type { StoreFunction } from './store-function.ts';

interface DashboardProps extends Monitored {
  alarms: IAlarm[];
  /** The metrics that are counted from the log. */
  counts: IMetric[];
}

/** Adds one screen: whether the stack is healthy, which part is slow and what it costs. */
export function addDashboard(scope: Construct, props: DashboardProps): void {
  const { rest, alarms, counts } = props;
  const stage = rest.deploymentStage;
  const functions = [...Object.values(props.handlers), props.authorizer];
  const graph = (title: string, left: IMetric[]): IWidget =>
    new GraphWidget({ title, left, width: 8, height: 6 });
  const ofEach = (metric: (f: StoreFunction) => Metric) =>
    functions.map((f) => metric(f).with({ label: f.node.id }));

  const dashboard = new Dashboard(scope, 'Dashboard', {
    // Dashboards are global to an account, and a copy in another region has the same stack name.
    dashboardName: `${Stack.of(scope).stackName}-${Stack.of(scope).region}`,
    defaultInterval: Duration.days(1),
  });
  dashboard.addWidgets(
    new AlarmStatusWidget({
      title: 'Is it healthy? (docs/operations.md says what to do)',
      alarms,
      width: 24,
      height: 3,
    }),
  );
  dashboard.addWidgets(
    graph('Requests', [
      stage.metricCount({ statistic: Stats.SUM, period, label: 'All' }),
      stage.metricClientError({ statistic: Stats.SUM, period, label: '4xx' }),
      stage.metricServerError({ statistic: Stats.SUM, period, label: '5xx' }),
    ]),
    graph('Failures and refused tokens, by log code', counts),
    graph('Throttled', [
      ...ofEach((f) => f.metricThrottles({ statistic: Stats.SUM, period })),
      ...tablesIn(functions, 'Read').map((table) => used(table, 'ReadThrottleEvents')),
      ...tablesIn(functions, 'Write').map((table) => used(table, 'WriteThrottleEvents')),
    ]),
  );
  dashboard.addWidgets(
    graph('Which part is slow? API, ms', [
      stage.metricLatency({ statistic: Stats.p(50), period, label: 'p50' }),
      stage.metricLatency({ statistic: Stats.p(99), period, label: 'p99' }),
    ]),
    graph(
      'Functions, p99, ms',
      ofEach((f) => f.metricDuration({ statistic: Stats.p(99), period })),
    ),
    graph('Tables, p99, ms', latencies(functions)),
  );
  dashboard.addWidgets(
    new SingleValueWidget({
      title:
        'What does it cost? US dollars in the time shown, at us-east-1 prices, ' +
        'before free allowances',
      metrics: costs(props, functions),
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

const tableMetric = (
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

const used = (table: TableV2, metric: string) =>
  tableMetric(table, metric, `${table.node.id} ${metric}`);

/** Returns the tables that functions read, or write. */
function tablesIn(functions: StoreFunction[], use: 'Read' | 'Write'): TableV2[] {
  const isRead = (action: string) => /^(Batch)?Get|^Query$|^Scan$/.test(action);
  const using = functions.filter(({ actions }) =>
    actions.some((action) => isRead(action) === (use === 'Read')),
  );
  return [...new Set(using.map(({ table }) => table))];
}

/** Returns the latency of each action that a function may take on its table. */
function latencies(functions: StoreFunction[]): Metric[] {
  const metrics = functions.flatMap(({ table, actions }) =>
    actions.map((action) => {
      const label = `${table.node.id} ${action}`;
      const more = { operation: action, statistic: Stats.p(99) };
      return [label, tableMetric(table, 'SuccessfulRequestLatency', label, more)] as const;
    }),
  );
  // Several functions may take the same action.
  return [...new Map(metrics).values()];
}

function costs({ rest, settings }: Monitored, functions: StoreFunction[]): IMetric[] {
  const sum = { statistic: Stats.SUM, period };
  const requests = [rest.deploymentStage.metricCount(sum)];
  const invocations = functions.map((f) => f.metricInvocations(sum));
  const milliseconds = functions.map((f) => f.metricDuration(sum));
  const reads = tablesIn(functions, 'Read').map((table) =>
    used(table, 'ConsumedReadCapacityUnits'),
  );
  const writes = tablesIn(functions, 'Write').map((table) =>
    used(table, 'ConsumedWriteCapacityUnits'),
  );
  const bytes = functions.map(
    ({ logGroup: { logGroupName } }) =>
      new Metric({
        namespace: 'AWS/Logs',
        metricName: 'IncomingBytes',
        dimensionsMap: { LogGroupName: logGroupName },
        ...sum,
      }),
  );
  const perMillion = (price: number) => `/ 1000000 * ${price}`;
  const gigabytes = settings.memory / 1024;
  const perGbSecond = prices.lambdaGbSecond[settings.architecture];
  return [
    cost('API Gateway', ['requests', requests, perMillion(prices.millionGatewayRequests)]),
    cost(
      'Lambda',
      ['invocations', invocations, perMillion(prices.millionLambdaRequests)],
      ['ms', milliseconds, `/ 1000 * ${gigabytes} * ${perGbSecond}`],
    ),
    cost(
      'DynamoDB',
      ['reads', reads, perMillion(prices.millionTableReads)],
      ['writes', writes, perMillion(prices.millionTableWrites)],
    ),
    cost('Logs', ['bytes', bytes, `/ 1000000000 * ${prices.logGb}`]),
  ];
}

/** The sum of metrics, by their name in an expression, and what makes dollars of it. */
type Term = [name: string, metrics: Metric[], price: string];

function cost(label: string, ...terms: Term[]): MathExpression {
  const sums = terms.map(([name, metrics, price]) => ({ ...sumOf(name, metrics), price }));
  return new MathExpression({
    label,
    expression: sums.map(({ expression, price }) => `(${expression}) ${price}`).join(' + '),
    usingMetrics: Object.assign({}, ...sums.map(({ usingMetrics }) => usingMetrics)),
    period,
  });
}
