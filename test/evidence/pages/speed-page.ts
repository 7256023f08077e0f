import type { Scale } from '../bench/scale-fault.ts';
import { type Bar, type Result, tolerance } from '../bench/targets.ts';
import { publishPage } from './page.ts';

/** The contents of docs/speed.json. */
export interface Speed {
  machine: string;
  date: string;
  /** Fewest rounds that a ratio is the median of. */
  rounds: number;
  results: Result[];
  bars: Bar[];
  scale: Scale;
}

/** Writes docs/speed.json, and the part of the page that follows from it. */
export const publish = (docs: string, speed: Speed): void =>
  publishPage(docs, 'speed', speed, figures(speed));

/** Returns the results as a table in Markdown, with the targets beside them. */
export const table = (results: Result[]): string =>
  [
    '| figure | ratio | middle half of the rounds | target |',
    '| --- | --- | --- | --- |',
    ...results.map(({ title, median, from, to, atMost }) => {
      const missed = median > atMost ? ', missed' : '';
      const [ratio, lower, upper, target] = [median, from, to, atMost].map((x) => x.toFixed(2));
      return `| ${title} | ${ratio} | ${lower} to ${upper} | ≤ ${target}${missed} |`;
    }),
  ].join('\n');

/** Returns a row for each figure and target, with the medians of what it was measured of. */
function summary(results: Result[]): string {
  const rows = Map.groupBy(results, ({ title, atMost }) => {
    const figure = title.split(': ').at(-1);
    return `| ${figure} | ≤ ${atMost.toFixed(2)} |`;
  });
  return [
    '| figure | target | median |',
    '| --- | --- | --- |',
    ...[...rows].map(([start, row]) => {
      const medians = row.map(({ title, median, atMost }) => {
        const [of = '', figure] = title.replace(', 10 plants', '').split(': ');
        const missed = median > atMost ? ' (missed)' : '';
        return `${figure ? `${of.replace(', ', ' of ')} ` : ''}${median.toFixed(2)}${missed}`;
      });
      return `${start} ${medians.join(', ')} |`;
    }),
  ].join('\n');
}

/** Returns the part of docs/speed.md that a run writes. */
export function figures({ machine, date, rounds, results, bars, scale }: Speed): string {
  const starts = bars.map(({ name, start }) => `${name} ${start.median.toFixed(2)}`);
  const { lists, memory } = scale;
  const whole = lists.filter(({ page, own }) => page === own);
  const [first, last] = [whole[0], whole.at(-1)];
  const [least, most] = [Math.min, Math.max].map((of) => of(...whole.map(({ ms }) => ms)));
  return `\
These figures are from ${date}, on ${machine}. Each is
the median of at least ${rounds} rounds, and the JSON has their middle half. A ratio fails the run
if it is above its target by more than ${Math.round((tolerance - 1) * 100)} %.

${summary(results)}

Load and first call of a create function, if that of a bare SDK command takes 1:
${starts.join(', ')}.

A list of ${first?.page} plants takes ${first?.units} read units, and ${least?.toFixed(1)} to \
${most?.toFixed(1)} ms of CPU together
with the database, beside ${first?.others} to ${last?.others} plants of others. From the tenth to
the last page of ${memory.plants} plants, the heap changes by ${memory.growthMb.toFixed(1)} MB.`;
}
