import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scale } from './scale.ts';
import type { Bar, Result } from './targets.ts';

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

/** Writes docs/speed.json, and the page and the plot that follow from it. */
export function publish(docs: string, speed: Speed): void {
  writeFileSync(join(docs, 'speed.json'), `${JSON.stringify(speed, null, 2)}\n`);
  writeFileSync(join(docs, 'speed.md'), page(speed));
  writeFileSync(join(docs, 'speed.svg'), plot(speed.bars));
}

const figure = (value: number) => value.toFixed(2);

/** Returns the results as a table in Markdown, with the targets beside them. */
export const table = (results: Result[]): string =>
  [
    '| figure | ratio | middle half of the rounds | target |',
    '|---|---|---|---|',
    ...results.map(
      ({ title, median, from, to, atMost }) =>
        `| ${title} | ${figure(median)} | ${figure(from)} to ${figure(to)} | ≤ ${figure(atMost)}${median > atMost ? ', missed' : ''} |`,
    ),
  ].join('\n');

const page = ({ machine, date, rounds, results, scale }: Speed): string => `# Speed

![CPU time of a create function beside others](speed.svg)

\`npm run bench\` writes this page. It needs an idle machine and under four minutes. The figures are
from ${date}, on ${machine}.

## Functions

Each ratio is the median of at least ${rounds} rounds. A round starts every function once in a new process, in
an order of chance, and a ratio pairs the two measurements of one round. \`raw\` is a bare SDK command with
no validation, no errors and no log, in the build that this project had in November 2026. "Load and first
call" is the CPU time of what Lambda calls INIT and of the first request; "first call" is the part of it
that the first caller waits for. The database is a stub on the loopback. The run refuses to publish if
\`raw\` differs from itself by more than 5 %, or if the middle half of those rounds spans more than 20 %.

${table(results)}

A ratio fails the run only if it is above its target by more than 15 %. The size of the bundles, what may
not be in them and what Node may not load are fixed, and \`npm test\` holds them (test/bundles).
functions/sdk/stubs.ts says what was left out of the SDK for it, and how it would show if that broke.

## Scale
${scaleText(scale)}`;

const scaleText = ({ stores, pages, memory }: Scale): string => `
Plants are listed through the store of the functions, on the embedded engine. The units are DynamoDB's
read units of one list. A list does not depend on what other owners have, and grows with the page.

| plants of others | own plants | page | read units | ms, median |
|---|---|---|---|---|
${[...stores, ...pages].map(({ others, own, page, units, ms }) => `| ${others} | ${own} | ${page} | ${units} | ${ms.toFixed(1)} |`).join('\n')}

Paging through ${memory.plants} plants, 1000 at a time, the heap after a collection is ${memory.atFirstMb.toFixed(1)} MB
after the first tenth of the pages and ${memory.atEndMb.toFixed(1)} MB after all of them.
`;

const colours = { ours: '#2e7d32', others: '#9e9e9e' };

/** Returns the plot: two groups of bars, in which shorter is better. */
function plot(bars: Bar[]): string {
  const groups = [
    { title: 'Load and first call: CPU time / raw', key: 'start' },
    { title: 'First call alone: CPU time / raw', key: 'first' },
  ] as const;
  const longest = Math.max(...bars.flatMap(({ start, first }) => [start.median, first.median]));
  const scale = 440 / longest;
  const lines: string[] = [];
  let y = 0;
  for (const { title, key } of groups) {
    y += 34;
    lines.push(`<text x="20" y="${y}" font-weight="bold">${title}</text>`);
    const top = y + 8;
    for (const bar of bars) {
      y += 26;
      const width = (bar[key].median * scale).toFixed(1);
      const colour = bar.name === 'ours' ? colours.ours : colours.others;
      lines.push(
        `<text x="190" y="${y}" text-anchor="end">${bar.name}</text>`,
        `<rect x="200" y="${y - 13}" width="${width}" height="18" fill="${colour}"/>`,
        `<text x="${(206 + bar[key].median * scale).toFixed(1)}" y="${y}">${figure(bar[key].median)}</text>`,
      );
    }
    const one = (200 + scale).toFixed(1);
    lines.push(
      `<line x1="${one}" x2="${one}" y1="${top}" y2="${y + 8}" stroke="#000" stroke-dasharray="3 3"/>`,
    );
    y += 16;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 ${y + 10}" font-family="sans-serif" font-size="14">
<title>CPU time of a create function beside others; shorter is better</title>
<rect width="100%" height="100%" fill="#fff"/>
${lines.join('\n')}
</svg>
`;
}
