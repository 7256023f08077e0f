import { type Entry, entries } from '../../../lib/bundle.ts';
import { type Figures, type Ratio, ratio } from './ratio.ts';

/** A ratio of two tasks that has a target. */
export interface Target {
  title: string;
  figure: keyof Figures;
  /** The names of two tasks. */
  pair: [string, string];
  atMost: number;
}

/** What was measured, beside its target. */
export type Result = Pick<Target, 'title' | 'atMost'> & Ratio;

/** A ratio above its target by more than this fails, because no machine measures exactly. */
export const tolerance = 1.15;

const titles: Partial<Record<Entry, string>> = {
  'create-plant': 'create',
  'list-plants': 'list, 10 plants',
  'delete-plant': 'delete',
};

type Limit = [figure: Target['figure'], what: string, atMost: number];

/** Targets of each function beside `raw`, whose tasks have these words before their names. */
const besideRaw = (task: string, [figure, what, atMost]: Limit): Target[] =>
  entries.map((entry) => ({
    title: `${titles[entry] ?? entry}: ${what} / raw`,
    figure,
    pair: [`${task}${entry}`, `${task}raw ${entry}`],
    atMost,
  }));
const ofCreate = (name: string, other: string, atMost: number): Target => ({
  title: `create: load and first call / ${other}`,
  figure: 'start',
  pair: ['create-plant', name],
  atMost,
});
const ofThousand = ([figure, what, atMost]: Limit): Target => ({
  title: `list, 1000 plants: ${what} / raw`,
  figure,
  pair: ['thousand list-plants', 'thousand raw list-plants'],
  atMost,
});

export const targets: Target[] = [
  ...besideRaw('', ['start', 'load and first call', 0.88]),
  ofCreate('CDK default', "CDK's default build of raw", 0.58),
  ofCreate('express', 'express', 0.4),
  ofCreate('demo', "the shape of AWS's demo", 0.46),
  ...besideRaw('TLS ', ['start', 'load and first call over TLS', 0.89]),
  ...besideRaw('', ['first', 'first call', 0.3]),
  ...besideRaw('TLS ', ['first', 'first call over TLS', 0.4]),
  ...besideRaw('warm ', ['warm', 'a later call', 1.06]),
  ofThousand(['warm', 'a later call', 0.8]),
  ofThousand(['rss', 'peak memory', 0.8]),
  ...besideRaw('warm ', ['rss', 'peak memory', 0.92]),
];

/** Returns the targets whose tasks were measured, with what was measured. */
export const resultsOf = (figures: Map<string, Figures[]>): Result[] =>
  targets
    .filter(({ pair }) => pair.every((name) => figures.has(name)))
    .map(({ title, figure, pair, atMost }) => ({ title, ...ratio(figures, pair, figure), atMost }));

/** A second measurement of `raw create-plant`. Its ratio to the first shows the scatter. */
export const again = 'raw again';

/** Returns why figures are too uncertain to publish, or undefined. */
export function scatterOf(figures: Map<string, Figures[]>): string | undefined {
  const pairs = [
    [again, 'raw create-plant', 'start'],
    [`warm ${again}`, 'warm raw create-plant', 'warm'],
  ] as const;
  for (const [one, other, figure] of pairs) {
    const { median, from, to } = ratio(figures, [one, other], figure);
    const rounds = figures.get(one)?.length ?? 0;
    const [middle, lower, upper] = [median, from, to].map((x) => x.toFixed(2));
    if (rounds < 5 || Math.abs(median - 1) > 0.05 || to - from > 0.2)
      return (
        'the same function measured twice differs by a factor of ' +
        `${middle} (${lower} to ${upper}) in ${rounds} rounds`
      );
  }
  return undefined;
}

/** The CPU time of a create function's start in relation to that of `raw`. */
export interface Bar {
  name: string;
  start: Ratio;
}

const bars = {
  'Plant Store': 'create-plant',
  "CDK's default build": 'CDK default',
  "AWS's demo's shape": 'demo',
  hono: 'hono',
  express: 'express',
};

export const barsOf = (figures: Map<string, Figures[]>): Bar[] =>
  Object.entries(bars).map(([name, task]) => ({
    name,
    start: ratio(figures, [task, 'raw create-plant'], 'start'),
  }));
