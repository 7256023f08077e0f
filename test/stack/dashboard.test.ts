import { expect, test } from '@jest/globals';
import {
  functionNames,
  ofType,
  propertiesOf,
  resource,
  settings,
  templateWith,
} from './templates.ts';

const everything = await templateWith(settings.everything);

test('the dashboard shows every alarm, which part is slow, and what each service costs', () => {
  const { widgets } = dashboard();
  const shown = widgets.find(({ type }: { type: string }) => type === 'alarm');
  expect(shown.properties.alarms).toHaveLength(
    Object.keys(ofType(everything, 'AWS::CloudWatch::Alarm')).length,
  );
  const titles = widgets.map(
    ({ properties }: { properties: { title?: string } }) => properties.title,
  );
  for (const question of [/healthy\?/, /slow\?/, /cost\?/])
    expect(titles).toContainEqual(expect.stringMatching(question));
  const [, ...costs] = JSON.stringify(widgets).split('"expression":"');
  expect(costs.map((text) => text.split('"')[0])).toEqual([
    '(FILL(requests0, 0)) / 1000000 * 3.5',
    expect.stringMatching(
      /^\(FILL\(invocations0, 0\) .* \/ 1000000 \* 0\.2 \+ \(FILL\(ms0, 0\).* \/ 1000 \* 1 \* 0\.0000166667$/,
    ),
    '(FILL(reads0, 0) + FILL(reads1, 0)) / 1000000 * 0.125 + (FILL(writes0, 0)) / 1000000 * 0.625',
    `(${functionNames.map((_, i) => `FILL(bytes${i}, 0)`).join(' + ')}) / 1000000000 * 0.5`,
  ]);
});

test('the dashboard shows the latency of every action that a function may take on a table', () => {
  const actions = propertiesOf(everything, 'AWS::IAM::Policy')
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .flatMap(({ Action, Resource }) =>
      [Action].flat().map((action: string) => [action, Resource['Fn::GetAtt']?.[0]]),
    )
    .filter(([action]) => action.startsWith('dynamodb:'))
    .map(([action, table]) => `${action} ${table}`);
  const shown = [...dashboardMetrics()]
    .map((metric) => JSON.parse(metric))
    .filter(([, name]) => name === 'SuccessfulRequestLatency')
    .map(([, , , operation, , table]) => `dynamodb:${operation} ${/Ref:(\w+)/.exec(table)?.[1]}`);
  expect(shown.sort()).toEqual([...new Set(actions)].sort());
});

test('the dashboard has at most the 50 metrics that are free', () => {
  // https://aws.amazon.com/cloudwatch/pricing/
  expect(dashboardMetrics().size).toBeLessThanOrEqual(50);
});

/** Returns the dashboard's JSON, with names where CloudFormation fills in values. */
function dashboard() {
  const [id] = Object.keys(ofType(everything, 'AWS::CloudWatch::Dashboard'));
  const [separator, parts] = resource(everything, `${id}`).Properties.DashboardBody['Fn::Join'];
  const text = parts.map((part: string | { Ref?: string }) =>
    typeof part === 'string' ? part : JSON.stringify(part).replaceAll('"', ''),
  );
  return JSON.parse(text.join(separator));
}

function dashboardMetrics(): Set<string> {
  const metrics = dashboard().widgets.flatMap(
    ({ properties }: { properties: { metrics?: unknown[][] } }) => properties.metrics ?? [],
  );
  const names = metrics.filter((metric: unknown[]) => metric.length > 1);
  // The last part says how a metric is drawn. A metric that is shown twice counts once.
  return new Set(
    names.map((metric: unknown[]) =>
      JSON.stringify(metric.filter((part) => typeof part === 'string')),
    ),
  );
}
