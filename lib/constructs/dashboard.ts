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
import type { Construct } from 'constructs';
import { prices } from '../prices.ts';
import { type Monitored, period, tableMetric } from './metrics.ts';
import type { StoreFunction } from './store-function.ts';

interface DashboardProps extends Monitored {
  alarms: IAlarm[];
  /** The metrics that are counted from the log. */
  counts: IMetric[];
}

/** Adds one screen: whether the stack is healthy, which part is slow and what it costs. */
export function addDashboard(scope: Construct, props: DashboardProps): void {
  const { rest, plants, accessTokens, alarms, counts } = props;
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
      tableMetric(plants, 'ReadThrottleEvents', 'Plants, read'),
      tableMetric(plants, 'WriteThrottleEvents', 'Plants, write'),
      tableMetric(accessTokens, 'ReadThrottleEvents', 'AccessTokens, read'),
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

/** Returns the latency of each action that a function may take on its table. */
function latencies(functions: StoreFunction[]): Metric[] {
  const metrics = functions.flatMap(({ table, actions }) =>
    actions.map((action) => {
      const operation = action.replace('dynamodb:', '');
      const label = `${table.node.id} ${operation}`;
      const more = { operation, statistic: Stats.p(99) };
      return [label, tableMetric(table, 'SuccessfulRequestLatency', label, more)] as const;
    }),
  );
  // Several functions may take the same action.
  return [...new Map(metrics).values()];
}

function costs(
  { rest, plants, accessTokens, settings }: Monitored,
  functions: StoreFunction[],
): IMetric[] {
  const sum = (metrics: Metric[], name: string) =>
    Object.fromEntries(metrics.map((metric, i) => [`${name}${i}`, metric]));
  const plus = (named: Record<string, Metric>) =>
    `(${Object.keys(named)
      .map((id) => `FILL(${id}, 0)`)
      .join(' + ')})`;

  const requests = { requests: rest.deploymentStage.metricCount({ statistic: Stats.SUM, period }) };
  const invocations = sum(
    functions.map((f) => f.metricInvocations({ statistic: Stats.SUM, period })),
    'invocations',
  );
  const milliseconds = sum(
    functions.map((f) => f.metricDuration({ statistic: Stats.SUM, period })),
    'ms',
  );
  const reads = sum(
    [plants, accessTokens].map((table) => tableMetric(table, 'ConsumedReadCapacityUnits', 'Read')),
    'reads',
  );
  const writes = sum([tableMetric(plants, 'ConsumedWriteCapacityUnits', 'Written')], 'writes');
  const bytes = sum(
    functions.map(
      ({ logGroup }) =>
        new Metric({
          namespace: 'AWS/Logs',
          metricName: 'IncomingBytes',
          dimensionsMap: { LogGroupName: logGroup.logGroupName },
          statistic: Stats.SUM,
          period,
        }),
    ),
    'bytes',
  );
  const cost = (label: string, expression: string, usingMetrics: Record<string, Metric>) =>
    new MathExpression({ label, expression, usingMetrics, period });
  const perMillion = (sum: string, price: number) => `${sum} / 1000000 * ${price}`;
  const memorySeconds = `${plus(milliseconds)} / 1000 * ${settings.memory / 1024}`;
  return [
    cost('API Gateway', perMillion(plus(requests), prices.millionGatewayRequests), requests),
    cost(
      'Lambda',
      `${perMillion(plus(invocations), prices.millionLambdaRequests)} + ` +
        `${memorySeconds} * ${prices.lambdaGbSecond[settings.architecture]}`,
      { ...invocations, ...milliseconds },
    ),
    cost(
      'DynamoDB',
      `${perMillion(plus(reads), prices.millionTableReads)} + ` +
        perMillion(plus(writes), prices.millionTableWrites),
      { ...reads, ...writes },
    ),
    cost('Logs', `${plus(bytes)} / 1000000000 * ${prices.logGb}`, bytes),
  ];
}
