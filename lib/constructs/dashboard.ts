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

/** A graph, and the metrics that it shows. */
interface Graph {
  title: string;
  metrics: IMetric[];
}

/** A dashboard with more metrics costs something: https://aws.amazon.com/cloudwatch/pricing/ */
const freeMetrics = 50;

/**
 * Returns the graphs that make more metrics than are free, beside those that are shown anyway. The
 * first graphs find room first.
 */
export function withoutRoom(always: IMetric[], graphs: Graph[]): Graph[] {
  const shown = [...always];
  const leftOut: Graph[] = [];
  for (const graph of graphs) {
    if (countDistinct([...shown, ...graph.metrics]) > freeMetrics) {
      leftOut.push(graph);
    } else {
      shown.push(...graph.metrics);
    }
  }
  return leftOut;
}

/** Counts metrics. One that is shown twice, like by another statistic, counts once. */
function countDistinct(metrics: IMetric[]): number {
  const identities = metrics.map((metric) => {
    const { namespace, metricName, dimensions } = metric.toMetricConfig().metricStat ?? {};
    return JSON.stringify([namespace, metricName, dimensions]);
  });
  return new Set(identities).size;
}

/**
 * Adds one screen: whether the stack is healthy, which part is slow and what it costs. With many
 * operations, it leaves out graphs.
 */
export function addDashboard(scope: Construct, props: DashboardProps): void {
  const { rest, handlers, authorizer, alarms, counts, billedMs, settings } = props;
  const stage = rest.deploymentStage;
  const functions = [...Object.values(handlers), authorizer];
  const tables = Object.values(props.tables);
  const p99 = { statistic: Stats.p(99), period };

  const draw = ({ title, metrics }: Graph): IWidget =>
    new GraphWidget({ title, left: metrics, width: 8, height: 6 });
  const ofEach = (metric: (f: StoreFunction) => Metric): Metric[] =>
    functions.map((f) => metric(f).with({ label: f.node.id }));
  const ofTables = (name: string): Metric[] =>
    tables.map((table) => tableMetric(table, name, { ...sum, label: `${table.node.id} ${name}` }));
  // CDK's own metric of a log group lacks the dimension.
  const incomingBytes = { ...sum, namespace: 'AWS/Logs', metricName: 'IncomingBytes' };
  const loggedBytes = functions.map(({ logGroup }) => {
    const dimensionsMap = { LogGroupName: logGroup.logGroupName };
    return new Metric({ ...incomingBytes, dimensionsMap });
  });
  const durations = ofEach((f) => f.metricDuration(p99));
  /** By label, because several functions may take the same action. */
  const latencies = new Map<string, Metric>();
  for (const { table, actions } of functions.flatMap((each) => each.tables)) {
    for (const action of actions) {
      const label = `${table.node.id} ${action}`;
      const options = { ...p99, label, dimensionsMap: { Operation: action } };
      latencies.set(label, tableMetric(table, 'SuccessfulRequestLatency', options));
    }
  }

  const perMillion = (price: number): string => `/ 1000000 * ${price}`;
  const perGbSecond = prices.lambdaGbSecond[settings.architecture];
  const costs: Record<string, Record<string, Usage>> = {
    'API Gateway': {
      requests: {
        metrics: [stage.metricCount(sum)],
        price: perMillion(prices.millionGatewayRequests),
      },
    },
    Lambda: {
      invocations: {
        metrics: functions.map((f) => f.metricInvocations(sum)),
        price: perMillion(prices.millionLambdaRequests),
      },
      ms: {
        metrics: [billedMs],
        price: `/ 1000 * ${settings.memory / 1024} * ${perGbSecond}`,
      },
    },
    DynamoDB: {
      reads: {
        metrics: ofTables('ConsumedReadCapacityUnits'),
        price: perMillion(prices.millionTableReads),
      },
      writes: {
        metrics: ofTables('ConsumedWriteCapacityUnits'),
        price: perMillion(prices.millionTableWrites),
      },
    },
    Logs: {
      bytes: { metrics: loggedBytes, price: `/ 1000000000 * ${prices.logGb}` },
    },
  };

  const requests: Graph = {
    title: 'Requests',
    metrics: [
      stage.metricCount({ ...sum, label: 'All' }),
      stage.metricClientError({ ...sum, label: '4xx' }),
      stage.metricServerError({ ...sum, label: '5xx' }),
    ],
  };
  const failures: Graph = { title: 'Failures and refused tokens, by log code', metrics: counts };
  const api: Graph = {
    title: 'Which part is slow? API, ms',
    metrics: [
      stage.metricLatency({ statistic: Stats.p(50), period, label: 'p50' }),
      stage.metricLatency({ ...p99, label: 'p99' }),
    ],
  };
  const throttled: Graph = {
    title: 'Throttled',
    metrics: [
      ...ofEach((f) => f.metricThrottles(sum)),
      ...ofTables('ReadThrottleEvents'),
      ...ofTables('WriteThrottleEvents'),
    ],
  };
  const slowFunctions: Graph = { title: 'Functions, p99, ms', metrics: durations };
  const slowTables: Graph = { title: 'Tables, p99, ms', metrics: [...latencies.values()] };
  const usages = Object.values(costs).flatMap((ofService) => Object.values(ofService));
  const always = [requests, failures, api, ...usages].flatMap(({ metrics }) => metrics);
  const leftOut = withoutRoom(always, [slowFunctions, throttled, slowTables]);
  const allowance = `only ${freeMetrics} metrics are free`;
  const drawn = (graphs: Graph[]): IWidget[] =>
    graphs.filter((graph) => !leftOut.includes(graph)).map(draw);

  const dashboard = new Dashboard(scope, 'Dashboard', {
    // Dashboards are global to an account, and a copy in another region has the same stack name.
    dashboardName: `${Stack.of(scope).stackName}-${Stack.of(scope).region}`,
    defaultInterval: Duration.days(1),
  });
  const title = 'Is it healthy? (docs/operations.md says what to do)';
  dashboard.addWidgets(new AlarmStatusWidget({ title, alarms, width: 24, height: 3 }));
  dashboard.addWidgets(...drawn([requests, failures, throttled]));
  dashboard.addWidgets(...drawn([api, slowFunctions, slowTables]));
  dashboard.addWidgets(
    new SingleValueWidget({
      title:
        'What does it cost? US dollars in the time shown, at us-east-1 prices, ' +
        'before free allowances',
      metrics: Object.entries(costs).map(([label, ofService]) => cost(label, ofService)),
      setPeriodToTimeRange: true,
      width: 16,
      height: 4,
    }),
    new TextWidget({
      markdown: [
        'The estimate leaves out storage, backups, traces, access logs and data sent.',
        'docs/cost-and-scale.md has them.',
        ...leftOut.map(({ title }) => `The graph "${title}" is left out, because ${allowance}.`),
      ].join(' '),
      width: 8,
      height: 4,
    }),
  );
}

/** CDK's own metric of a table would also name the account and the region. */
const tableMetric = (table: TableV2, metricName: string, options: MetricOptions): Metric =>
  new Metric({
    ...options,
    namespace: 'AWS/DynamoDB',
    metricName,
    dimensionsMap: { TableName: table.tableName, ...options.dimensionsMap },
  });

/** What a service charges for. */
interface Usage {
  metrics: Metric[];
  /** Makes dollars of the sum of the metrics, like `/ 1000 * 0.2`. */
  price: string;
}

/** Adds up what a service costs, by names for its usages. A metric without data counts as 0. */
function cost(label: string, usages: Record<string, Usage>): MathExpression {
  const sums: string[] = [];
  const usingMetrics: Record<string, Metric> = {};
  for (const [name, { metrics, price }] of Object.entries(usages)) {
    const filled: string[] = [];
    for (const [i, metric] of metrics.entries()) {
      usingMetrics[`${name}${i}`] = metric;
      filled.push(`FILL(${name}${i}, 0)`);
    }
    sums.push(`(${filled.join(' + ')}) ${price}`);
  }
  return new MathExpression({ label, expression: sums.join(' + '), usingMetrics, period });
}
