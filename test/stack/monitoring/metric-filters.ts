import { filterPattern } from '../../support/stack/filter-pattern.ts';
import { propertiesOf, resource, type Template } from '../templates.ts';

/**
 * Returns how often each metric counts these lines of a function's log. Metrics that sum up values
 * of the lines, like milliseconds, do not count.
 */
export function countsOf(
  template: Template,
  functionName: string,
  lines: string[],
): Record<string, number> {
  const { LogGroup } = resource(template, functionName).Properties.LoggingConfig;
  const counts: Record<string, number> = {};
  for (const filter of propertiesOf(template, 'AWS::Logs::MetricFilter')) {
    const [{ MetricName, MetricValue }] = filter.MetricTransformations;
    if (filter.LogGroupName.Ref === LogGroup.Ref && MetricValue === '1') {
      const count = lines.filter(filterPattern(filter.FilterPattern)).length;
      if (count > 0) {
        counts[MetricName] = (counts[MetricName] ?? 0) + count;
      }
    }
  }
  return counts;
}
