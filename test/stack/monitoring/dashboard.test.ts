import { expect, test } from '@jest/globals';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { withoutRoom } from '../../../lib/constructs/dashboard.ts';
import { prices } from '../../../lib/prices.ts';
import { words } from '../../support/words.ts';
import {
  accessOf,
  ofType,
  ownPartOf,
  propertiesOf,
  resource,
  settings,
  templateWith,
} from '../templates.ts';

const template = ownPartOf(await templateWith(settings.everything));
const idsOf = (type: string) => Object.keys(ofType(template, type));

/** Its name, its dimensions, and how it is drawn. */
type Drawn = (string | object)[];
interface Widget {
  properties: { title?: string; markdown?: string; alarms?: string[]; metrics?: Drawn[] };
}

const [{ DashboardBody }] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
const [separator, parts] = DashboardBody['Fn::Join'];
/** The widgets, with logical ids where CloudFormation fills in values. */
const { widgets }: { widgets: Widget[] } = JSON.parse(
  parts
    .map((part: string | object) =>
      typeof part === 'string' ? part : Object.values(part).flat()[0],
    )
    .join(separator),
);
/** Returns a metric with its dimensions and their values. An expression has none. */
const textOf = (metric: Drawn) => metric.filter((part) => typeof part === 'string').join(' ');
const textsOf = ({ properties: { metrics = [] } }: Widget) =>
  new Set(metrics.map(textOf).filter((text) => text !== ''));

const functions = idsOf('AWS::Lambda::Function');
const [api] = propertiesOf(template, 'AWS::ApiGateway::RestApi');
const [stage] = idsOf('AWS::ApiGateway::Stage');
const ofApi = (metric: string) => `AWS/ApiGateway ${metric} ApiName ${api.Name} Stage ${stage}`;
const ofFunctions = (metric: string) =>
  functions.map((name) => `AWS/Lambda ${metric} FunctionName ${name}`);
const ofTables = (metric: string) =>
  idsOf('AWS::DynamoDB::GlobalTable').map((name) => `AWS/DynamoDB ${metric} TableName ${name}`);
const latencies = functions.flatMap((name) => {
  const latency = 'AWS/DynamoDB SuccessfulRequestLatency Operation';
  return accessOf(template, name)
    .split('; ')
    .flatMap((access) => {
      const [table, ...actions] = access.split(' ');
      return actions.map((action) => `${latency} ${action} TableName ${table}`);
    });
});
const counted = propertiesOf(template, 'AWS::Logs::MetricFilter')
  .map(({ MetricTransformations: [transformation] }) => transformation)
  .filter(({ MetricValue }) => MetricValue === '1')
  .map(({ MetricNamespace: name, MetricName }) => `${name} ${MetricName}`);

/** The titles of the graphs that the dashboard says are left out. */
const leftOut = widgets.flatMap(({ properties: { markdown = '' } }) =>
  [...markdown.matchAll(/The graph "([^"]+)" is left out/g)].map(([, title]) => `${title}`),
);
const shown = new Set(widgets.flatMap((widget) => [...textsOf(widget)]));

/** What costs are made of, by the names in their expressions. */
const used = {
  requests: [ofApi('Count')],
  invocations: ofFunctions('Invocations'),
  ms: ['PlantStore-everything BilledMilliseconds'],
  reads: ofTables('ConsumedReadCapacityUnits'),
  writes: ofTables('ConsumedWriteCapacityUnits'),
  bytes: functions.map((name) => {
    const { LogGroup } = resource(template, name).Properties.LoggingConfig;
    return `AWS/Logs IncomingBytes LogGroupName ${LogGroup.Ref}`;
  }),
};

test('the dashboard shows metrics that exist, and those of each part of the stack', () => {
  const graphs: [title: RegExp, metrics: string[]][] = [
    [/healthy\?/, []],
    [/^Requests$/, words('Count 4XXError 5XXError').map(ofApi)],
    [/log code$/, counted],
    [
      /^Throttled$/,
      [
        ...ofFunctions('Throttles'),
        ...words('ReadThrottleEvents WriteThrottleEvents').flatMap(ofTables),
      ],
    ],
    [/slow\?/, [ofApi('Latency')]],
    [/^Functions/, ofFunctions('Duration')],
    [/^Tables/, latencies],
    [/cost\?/, Object.values(used).flat()],
  ];
  const titled = widgets.filter(({ properties: { title } }) => title);
  const expected = graphs.filter(([title]) => !leftOut.some((other) => title.test(other)));
  expect(titled.map((widget) => [widget.properties.title, textsOf(widget)])).toEqual(
    expected.map(([title, metrics]) => [expect.stringMatching(title), new Set(metrics)]),
  );
  for (const [, metrics] of graphs.filter((graph) => !expected.includes(graph))) {
    // There is room for none that is left out.
    expect(new Set([...shown, ...metrics]).size).toBeGreaterThan(50);
  }
  const alarms = widgets.flatMap(({ properties }) => properties.alarms ?? []);
  expect(alarms).toEqual(idsOf('AWS::CloudWatch::Alarm'));
});

test('the dashboard adds up what every part of the stack costs', () => {
  const widget = widgets.find(({ properties: { title } }) => title?.includes('cost?'));
  const shown = widget?.properties.metrics?.map((metric) => {
    const { id, expression } = Object(metric.at(-1));
    return expression ?? `${id} ${textOf(metric)}`;
  });
  type Name = keyof typeof used;
  const sumOf = (name: Name) => `(${used[name].map((_, i) => `FILL(${name}${i}, 0)`).join(' + ')})`;
  const named = (...names: Name[]) =>
    names.flatMap((name) => used[name].map((text, i) => `${name}${i} ${text}`));
  expect(shown).toEqual([
    `${sumOf('requests')} / 1000000 * ${prices.millionGatewayRequests}`,
    ...named('requests'),
    `${sumOf('invocations')} / 1000000 * ${prices.millionLambdaRequests} + ` +
      `${sumOf('ms')} / 1000 * 1 * ${prices.lambdaGbSecond.x86_64}`,
    ...named('invocations', 'ms'),
    `${sumOf('reads')} / 1000000 * ${prices.millionTableReads} + ` +
      `${sumOf('writes')} / 1000000 * ${prices.millionTableWrites}`,
    ...named('reads', 'writes'),
    `${sumOf('bytes')} / 1000000000 * ${prices.logGb}`,
    ...named('bytes'),
  ]);
});

test('the dashboard has at most the 50 metrics that are free', () => {
  // https://aws.amazon.com/cloudwatch/pricing/. A metric that is shown twice counts once.
  const cure = 'delete some from lib/constructs/dashboard.ts and from this test';
  expect(shown.size > 50 ? `${shown.size} metrics: ${cure}` : 'few enough').toBe('few enough');
});

test('graphs with more metrics than 50 are left out, and smaller ones after them are not', () => {
  const metric = (id: number, statistic: string) =>
    new Metric({ namespace: 'A', metricName: 'B', dimensionsMap: { id: `${id}` }, statistic });
  const graph = (title: string, first: number, count: number) => ({
    title,
    metrics: Array.from({ length: count }, (_, i) => metric(first + i, 'p99')),
  });
  const always = Array.from({ length: 30 }, (_, i) => metric(i, 'Sum'));
  // Ten of its metrics are shown anyway.
  const fitting = [graph('one', 20, 25), graph('two', 45, 5)];
  expect(withoutRoom(always, fitting)).toEqual([]);
  const large = graph('large', 50, 6);
  expect(withoutRoom(always, [graph('one', 20, 25), large, graph('two', 45, 5)])).toEqual([large]);
});
