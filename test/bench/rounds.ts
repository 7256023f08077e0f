import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventFor } from '../bundles/events.ts';
import { lambdaEnvironment } from '../lambda-environment.ts';
import type { Candidate } from './build.ts';

const run = promisify(execFile);

/** CPU time in µs, of loading a function with its first call, of the first call, and of a later one. */
export interface Figures {
  start: number;
  first: number;
  warm: number;
  /** Peak memory in KB. */
  rss: number;
}

/** One measurement of a candidate: against which database, for which owner, with how many calls. */
export interface Task {
  name: string;
  candidate: Candidate;
  endpoint: string;
  certificate?: string;
  owner?: string;
  calls?: number;
}

/** As Lambda starts Node with 512 MB: 5 % of it for young objects, 90 % for old ones. */
const flags = [
  '--expose-gc',
  '--max-http-header-size=81920',
  '--max-semi-space-size=25',
  '--max-old-space-size=460',
];

async function measure({ candidate, endpoint, certificate, owner, calls = 0 }: Task) {
  const input = {
    file: candidate.file,
    event: eventFor(candidate.entry, owner ?? 'caller'),
    calls,
  };
  const { stdout } = await run(
    process.execPath,
    [...flags, join(import.meta.dirname, 'measure.mjs'), JSON.stringify(input)],
    {
      env: {
        ...lambdaEnvironment(endpoint),
        POWERTOOLS_TRACE_ENABLED: 'false',
        ...(certificate && { NODE_EXTRA_CA_CERTS: certificate }),
      },
    },
  );
  // Powertools writes to stdout too.
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n') + 1)) as Figures;
}

const shuffled = <T>(list: T[]): T[] =>
  list
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

/**
 * Measures every task once a round, in a new process and in an order of chance, for as many rounds as
 * begin within `seconds`, so that what else the machine does meets all alike. Returns, by name, the
 * figures of each round.
 */
export async function rounds(tasks: Task[], seconds: number): Promise<Map<string, Figures[]>> {
  const figures = new Map<string, Figures[]>(tasks.map(({ name }) => [name, []]));
  const end = Date.now() + seconds * 1000;
  // The first round warms the machine's caches.
  for (let round = 0; round < 2 || Date.now() < end; round++)
    for (const task of shuffled(tasks)) {
      const measured = await measure(task);
      if (round > 0) figures.get(task.name)?.push(measured);
    }
  return figures;
}

export interface Ratio {
  median: number;
  /** The middle half of the rounds' ratios lies between these. */
  from: number;
  to: number;
}

/** Returns the ratio of two tasks, paired round by round. */
export function ratio(
  figures: Map<string, Figures[]>,
  [ours, theirs]: [string, string],
  figure: keyof Figures,
): Ratio {
  const [a = [], b = []] = [figures.get(ours), figures.get(theirs)];
  const ratios = a.map((each, round) => each[figure] / (b[round]?.[figure] ?? Number.NaN));
  return quartiles(ratios);
}

export function quartiles(values: number[]): Ratio {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => {
    const place = (sorted.length - 1) * part;
    const [below = Number.NaN, above = Number.NaN] = [
      sorted[Math.floor(place)],
      sorted[Math.ceil(place)],
    ];
    return below + (above - below) * (place - Math.floor(place));
  };
  return { median: at(0.5), from: at(0.25), to: at(0.75) };
}
