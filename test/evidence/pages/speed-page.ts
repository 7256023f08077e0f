import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scale } from '../bench/scale-fault.ts';
import { type Bar, type Result, tolerance } from '../bench/targets.ts';
import { jsonRows } from './json-rows.ts';

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

/** Writes docs/speed.json, and the page that follows from it. */
export function publish(docs: string, speed: Speed): void {
  writeFileSync(join(docs, 'speed.json'), jsonRows(speed));
  writeFileSync(join(docs, 'speed.md'), page(speed));
}

/** Returns the README's item about speed. */
export function readmeItem(results: Result[]): string {
  const figure = (title: string) =>
    results.find((result) => result.title === `create: ${title}`)?.median.toFixed(2);
  const cdk = figure("load and first call / CDK's default build of raw");
  const express = figure('load and first call / express');
  const first = figure('first call / raw');
  return `\
* [docs/speed.md](docs/speed.md) compares the functions with others. Loading one and creating a
  first plant takes ${cdk} of the CPU time that it takes with CDK's default build, and ${express} of
  that with express. The first call alone takes ${first} of the time of a bare SDK command.
`;
}

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

const allowance = Math.round((tolerance - 1) * 100);

/** Returns docs/speed.md. */
export const page = ({ machine, date, rounds, results, bars, scale }: Speed): string => `\
# Speed

\`npm run bench\` writes this page and [speed.json](speed.json) in under four minutes. These figures
are from ${date}, on ${machine}.

Each figure is a ratio to another function that does the same, so smaller is better. The others are
in \`test/evidence/bench/baselines\`: **raw** sends one SDK command, without validation, answers for
errors or a log. **Load and first call** is the CPU time of a cold start: loading the function,
which Lambda calls INIT, and the first request. **First call** is the part of it for which the first
client waits. **A later call** is the CPU time of each call after the function has warmed up. **Peak
memory** is the most that a process used in 1250 calls, or in 250 lists of 1000 plants.

${summary(results)}

A round measures each function once, in random order, and a ratio pairs two measurements of a round.
The table has the median of at least ${rounds} rounds, and the JSON their middle half. A list has 10
plants if the table names no other number. Every start is a new process, and the database is a stub.
A ratio fails the run if it is above its target by more than ${allowance} %. Nothing is published if
raw, measured twice, differs from itself by more than 5 %.

Load and first call of a create function, if that of a bare SDK command takes 1:
${bars
  .filter(({ start }) => start.median !== 1)
  .map(({ name, start }) => `${name} ${start.median.toFixed(2)}`)
  .join(', ')}.

${scaleText(scale)}`;

function scaleText({ lists, memory: { plants, growthMb } }: Scale): string {
  const whole = lists.filter(({ page, own }) => page === own);
  const [first, last] = [whole[0], whole.at(-1)];
  const [least, most] = [Math.min, Math.max].map((of) => of(...whole.map(({ ms }) => ms)));
  return `\
What a list costs does not depend on the plants of other owners. A list of ${first?.page} plants
takes ${first?.units} read units, and ${least?.toFixed(1)} to ${most?.toFixed(1)} ms of CPU together
with the database, beside ${first?.others} to ${last?.others} plants of others. From the tenth to
the last page of ${plants} plants, the heap changes by ${growthMb.toFixed(1)} MB.
`;
}
