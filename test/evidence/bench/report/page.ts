import type { Scale } from '../scale-fault.ts';
import { type Bar, type Result, tolerance } from '../targets.ts';

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

export const page = ({ machine, date, rounds, results, scale }: Speed): string => `\
# Speed

![Bars: the CPU time of a create function beside others](speed.svg)

\`npm run bench\` writes this page in under four minutes. These figures are from ${date}, on
${machine}.

## Functions

Each figure is a ratio to another function that does the same. Smaller is better.

* **raw** sends one SDK command and does nothing else. It has no validation, no answers for errors
  and no log. It is built as this project built its functions in November 2026.
* **Load and first call** is the CPU time of a cold start: loading the function, which Lambda calls
  INIT, and the first request.
* **First call** is the part of it for which the first client waits.
* **A later call** is the CPU time of each call after the function has warmed up.
* **Peak memory** is the most that a process used in 1250 calls, or in 250 lists of 1000 plants.

A round measures each function once, in random order, and a ratio pairs two measurements of one
round. The table has the median of at least ${rounds} rounds and the range of their middle half.
Every start is a new process. Later calls are measured in two processes or more, 1000 calls in
each, or 200 lists of 1000 plants. The database is a stub on the same machine. The other functions
are in \`test/evidence/bench/baselines\`.

${table(results)}

The last two rows are about \`npm start\`. One is the time until it is ready, without the time that
Node takes to start. The other compares its throughput with that of a \`node:http\` server that does
no more than the same database call, with 50 connections.

A ratio fails the run if it is above its target by more than ${allowance} %. Figures
are published only if \`raw\`, measured twice, differs from itself by at most 5 % and the middle
half of these ratios spans at most 20 %. Tests in \`test/bundles\` limit the size of the bundles and
the parts of Node that they load. \`functions/dynamodb/stubs.ts\` says which parts of the SDK are
left out and how a mistake would show.

## Scale

${scaleText(scale)}`;

const allowance = Math.round((tolerance - 1) * 100);

const scaleText = ({ lists, memory }: Scale): string => `\
What a list costs does not depend on the plants of other owners, and grows with the page. The lists
run through the functions' own store, on the database of \`npm start\`. Read units are what DynamoDB
would bill. The CPU time is that of the store and the database together.

| plants of others | own plants | page | read units | CPU time in ms |
| --- | --- | --- | --- | --- |
${lists
  .map(
    ({ others, own, page, units, ms }) =>
      `| ${others} | ${own} | ${page} | ${units} | ${ms.toFixed(1)} |`,
  )
  .join('\n')}

Paging through ${memory.plants} plants, 1000 at a time, does not use more memory with each page.
From the tenth page to the last, the heap changes by ${memory.growthMb.toFixed(1)} MB.
`;
