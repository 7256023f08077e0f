import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../support/cleanup.ts';
import { send } from '../../support/http/http-client.ts';
import { startNpmStart } from '../../support/program.ts';
import { countOf } from '../../support/report/property.ts';
import { report, share } from '../../support/report/report.ts';

const phases = [
  { connections: 200, seconds: countOf({ whole: 60 }) },
  { connections: 20, seconds: countOf({ whole: 600 }) },
];

/** A second of load. */
interface Second {
  latenciesMs: number[];
  /** The memory of the program, NaN if the operating system does not tell it. */
  residentMb: number;
}

/** Creates, lists and deletes over so many connections at once, as fast as they are answered. */
async function load(
  { baseUrl, headers, child }: Awaited<ReturnType<typeof startNpmStart>>,
  { connections, seconds: length }: (typeof phases)[number],
): Promise<Second[]> {
  const seconds: Second[] = [];
  let latenciesMs: number[] = [];
  const clock = setInterval(() => {
    seconds.push({ latenciesMs, residentMb: residentMb(child.pid) });
    latenciesMs = [];
  }, 1000);

  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const call = async (method: string, path: string, expected: number, body?: string) => {
    const sentAt = performance.now();
    const request = { method, path, headers: Object.entries(headers).flat(), body };
    const { status } = await send(baseUrl, request, agent);
    latenciesMs.push(performance.now() - sentAt);
    expect(status).toBe(expected);
  };
  let lastId = 0;
  const client = async () => {
    while (seconds.length < length) {
      lastId += 1;
      const id = lastId;
      await call('POST', '/plants', 201, JSON.stringify({ id, name: `${id}` }));
      await call('GET', '/plants?limit=10', 200);
      await call('DELETE', `/plants/${id}`, 204);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, client));
    return seconds;
  } finally {
    clearInterval(clock);
    agent.destroy();
  }
}

/** Only Linux tells the memory of another process by a file. */
function residentMb(pid?: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Returns the value that a part of the values (0 to 1) does not exceed, rounded. */
const percentile = (values: number[], part: number): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? 0);
const memory = (seconds: Second[]) =>
  percentile(
    seconds.map((second) => second.residentMb),
    0.5,
  );

test('under load, every call succeeds and memory stays flat', async () => {
  const startedAt = performance.now();
  const program = await startNpmStart(['--data', join(temporaryFolder(), 'store')]);
  const loads: Second[][] = [];
  for (const phase of phases) loads.push(await load(program, phase));
  const { code, stderr } = await program.end();
  expect({ code, errors: stderr.match(/^error: .*/gm) }).toEqual({ code: 0, errors: null });

  const low = loads.at(-1) ?? [];
  const tenth = Math.ceil(low.length / 10);
  const [warm, end] = [memory(low.slice(2 * tenth, 3 * tenth)), memory(low.slice(-tenth))];
  // A short run ends before the engine's memory has grown to its size.
  if (share === 1 && process.platform === 'linux') expect(end).toBeLessThan(1.1 * warm);

  for (const [i, { connections, seconds }] of phases.entries()) {
    const all = loads[i]?.flatMap(({ latenciesMs }) => latenciesMs) ?? [];
    const [p50Ms, p99Ms] = [percentile(all, 0.5), percentile(all, 0.99)];
    const perSecond = Math.round(all.length / (loads[i]?.length ?? 1));
    const isLast = i === phases.length - 1;
    report(
      {
        topic: 'Load',
        tried: `creates, lists and deletes over ${connections} connections for ${seconds} s`,
        count: all.length,
        unit: 'calls',
        outcome:
          `Every call succeeded: ${perSecond} calls/s, median ${p50Ms} ms, ` +
          `99th percentile ${p99Ms} ms.` +
          (isLast ? ` Memory was ${warm} MB after the warm-up and ${end} MB at the end.` : ''),
        figures: { perSecond, p50Ms, p99Ms, ...(isLast && { warmMb: warm, endMb: end }) },
      },
      startedAt,
    );
  }
});
