import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { eventFor } from '../../../support/service/lambda-events.ts';
import { lambdaEnvironment } from '../../../support/stack/lambda-environment.ts';
import type { Figures } from '../ratio.ts';
import type { Candidate } from './build.ts';

/** One measurement of a candidate: against which database, for which owner, with how many calls. */
export interface Task {
  name: string;
  candidate: Candidate;
  endpoint: string;
  certificate?: string;
  owner?: string;
  /** How many later calls are measured at once. */
  calls?: number;
}

/** As Lambda starts Node with 512 MB: 5 % of it for young objects, 90 % for old ones. */
const heap = ['--max-semi-space-size=25', '--max-old-space-size=460'];
const flags = ['--expose-gc', '--max-http-header-size=81920', ...heap];

/** Starts a function in a new process. Each figure is of its start, or of the calls asked for. */
function start({ name, candidate, endpoint, certificate, owner = 'caller' }: Task) {
  const { file, entry } = candidate;
  const input = JSON.stringify({ file: pathToFileURL(file).href, event: eventFor(entry, owner) });
  const program = join(import.meta.dirname, 'measure.mjs');
  const child = spawn(process.execPath, [...flags, program, input], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...lambdaEnvironment(endpoint),
      POWERTOOLS_TRACE_ENABLED: 'false',
      ...(certificate && { NODE_EXTRA_CA_CERTS: certificate }),
    },
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const mark = 'figures ';
  const figures = async (): Promise<Figures> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) {
        throw new Error(`${name} ended before it was measured.`);
      }
      if (value.startsWith(mark)) {
        return JSON.parse(value.slice(mark.length));
      }
    }
  };
  return {
    figures,
    call(count: number) {
      child.stdin.write(`${count}`);
      return figures();
    },
    async end() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

const shuffled = <T>(list: T[]): T[] => {
  const places = new Map(list.map((item) => [item, Math.random()]));
  return list.toSorted((a, b) => Number(places.get(a)) - Number(places.get(b)));
};

/**
 * Measures the tasks again and again until `seconds` are over, at least twice, so that what else
 * the machine does meets all alike. Returns the figures by the names of the tasks.
 */
async function repeat(
  tasks: Task[],
  seconds: number,
  measure: (add: (name: string, figures: Figures[]) => void, time: number) => Promise<void>,
): Promise<Map<string, Figures[]>> {
  const found = new Map<string, Figures[]>(tasks.map(({ name }) => [name, []]));
  const end = Date.now() + seconds * 1000;
  for (let time = 0; time < 2 || Date.now() < end; time++) {
    await measure((name, figures) => found.get(name)?.push(...figures), time);
  }
  return found;
}

/** Starts every task once a round, in a new process and in an order of chance. */
export const measureStarts = (tasks: Task[], seconds: number) =>
  repeat(tasks, seconds, async (add, round) => {
    for (const task of shuffled(tasks)) {
      const running = start(task);
      const measured = await running.figures();
      await running.end();
      // The first round warms the machine's caches.
      if (round > 0) {
        add(task.name, [measured]);
      }
    }
  });

const roundsOfProcess = 4;

/**
 * Calls started functions. A start and the calls that warm a function up take as long as what is
 * measured, so that a process serves four rounds.
 */
export const measureLaterCalls = (tasks: Task[], seconds: number) =>
  repeat(tasks, seconds, async (add) => {
    const started = [];
    for (const task of tasks) {
      const { name, calls = 250 } = task;
      const running = start(task);
      await running.figures();
      await running.call(calls);
      started.push({ name, calls, running, measured: [] as Figures[] });
    }
    for (let round = 0; round < roundsOfProcess; round++) {
      for (const { calls, running, measured } of shuffled(started)) {
        measured.push(await running.call(calls));
      }
    }
    for (const { name, running, measured } of started) {
      await running.end();
      // The peak depends on how much a process has done, so that only the last one counts.
      const rss = measured.at(-1)?.rss ?? Number.NaN;
      const figures = measured.map((each) => ({ ...each, rss }));
      add(name, figures);
    }
  });
