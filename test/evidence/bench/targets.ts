import { type Entry, requestEntries } from '../../../lib/bundle.ts';
import { type Figures, type Ratio, ratio } from './ratio.ts';

/** What was measured, beside its target. The title says of what, and which figure. */
export interface Result extends Ratio {
  title: string;
  atMost: number;
}

/** A figure above its target by more than this fails, because no machine measures exactly. */
export const tolerance = 1.15;

type Target = [
  title: string,
  atMost: number,
  figure: keyof Figures,
  ...tasks: [ours: string, theirs: string],
];

const titles: Partial<Record<Entry, string>> = {
  'create-plant': 'create',
  'list-plants': 'list',
  'delete-plant': 'delete',
};

/** Targets of each function beside `raw`. Both tasks have the given word before their names. */
const besideRaw = (what: string, atMost: number, figure: keyof Figures, task = ''): Target[] =>
  requestEntries.map((entry) => [
    `${titles[entry] ?? entry}: ${what} / raw`,
    atMost,
    figure,
    `${task}${entry}`,
    `${task}raw ${entry}`,
  ]);
const create = 'create: load and first call /';
const thousand = ['thousand list-plants', 'thousand raw list-plants'] as const;

const targets: Target[] = [
  ...besideRaw('load and first call', 0.88, 'start'),
  [`${create} CDK's default build of raw`, 0.58, 'start', 'create-plant', 'CDK default'],
  [`${create} express`, 0.4, 'start', 'create-plant', 'express'],
  [`${create} the shape of AWS's demo`, 0.46, 'start', 'create-plant', 'demo'],
  ...besideRaw('load and first call over TLS', 0.89, 'start', 'TLS '),
  ...besideRaw('first call', 0.3, 'first'),
  ...besideRaw('first call over TLS', 0.4, 'first', 'TLS '),
  ...besideRaw('a later call', 1.06, 'warm', 'warm '),
  ['list of 1000 plants: a later call / raw', 0.8, 'warm', ...thousand],
  ['list of 1000 plants: peak memory / raw', 0.8, 'rss', ...thousand],
  ...besideRaw('peak memory', 0.92, 'rss', 'warm '),
];

/** Returns the targets whose tasks were measured, with what was measured. */
export const resultsOf = (figures: Map<string, Figures[]>): Result[] =>
  targets
    .filter(([, , , ...tasks]) => tasks.every((name) => figures.has(name)))
    .map(([title, atMost, figure, ...tasks]) => {
      return { title, ...ratio(figures, tasks, figure), atMost };
    });

/** A second measurement of `raw create-plant`. Its ratio to the first shows the scatter. */
export const again = 'raw again';

/** Returns why figures are too uncertain to publish, or undefined. */
export function scatterOf(figures: Map<string, Figures[]>): string | undefined {
  for (const [task, figure] of [
    ['', 'start'],
    ['warm ', 'warm'],
  ] as const) {
    const tasks: [string, string] = [`${task}${again}`, `${task}raw create-plant`];
    const { median, from, to } = ratio(figures, tasks, figure);
    const rounds = figures.get(tasks[0])?.length ?? 0;
    const [middle, lower, upper] = [median, from, to].map((x) => x.toFixed(2));
    if (rounds < 5 || Math.abs(median - 1) > 0.05 || to - from > 0.2) {
      return (
        'the same function measured twice differs by a factor of ' +
        `${middle} (${lower} to ${upper}) in ${rounds} rounds`
      );
    }
  }
  return undefined;
}
