import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../support/cleanup.ts';
import { send } from '../../support/http/http-client.ts';
import { label, sent } from '../../support/plant.ts';
import { startNpmStart } from '../../support/program.ts';
import { countOf } from '../../support/report/property.ts';
import { report, share } from '../../support/report/report.ts';

/** Returns the value that a part of the values (0 to 1) does not exceed, rounded. */
const percentile = (values: number[], part: number): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? 0);

/** Returns the memory of a process. Only Linux tells it by a file; elsewhere it is NaN. */
function residentMb(pid?: number): number {
  if (process.platform !== 'linux') {
    return Number.NaN;
  }
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/**
 * Creates, lists and deletes over so many connections at once, as fast as they are answered.
 * Returns how long each call took, and the program's memory in each second.
 */
async function load(
  { baseUrl, headers, child }: Awaited<ReturnType<typeof startNpmStart>>,
  connections: number,
  seconds: number,
) {
  const [latenciesMs, megabytes]: [number[], number[]] = [[], []];
  const clock = setInterval(() => megabytes.push(residentMb(child.pid)), 1000);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const call = async (method: string, path: string, expected: number, body?: string) => {
    const sentAt = performance.now();
    const request = { method, path, headers: Object.entries(headers).flat(), body };
    const { status } = await send(baseUrl, request, agent);
    latenciesMs.push(performance.now() - sentAt);
    expect(status).toBe(expected);
  };
  let id = 0;
  const client = async () => {
    while (megabytes.length < seconds) {
      id += 1;
      const path = `/plants/${id}`;
      await call('POST', '/plants', 201, sent(id, { [label]: `${id}` }));
      await call('GET', '/plants?limit=10', 200);
      await call('DELETE', path, 204);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, client));
    return { latenciesMs, megabytes };
  } finally {
    clearInterval(clock);
    agent.destroy();
  }
}

test('under load, every call succeeds and memory stays flat', async () => {
  const startedAt = performance.now();
  const program = await startNpmStart(['--data', join(temporaryFolder(), 'store')]);
  const tell = (connections: number, seconds: number, latenciesMs: number[], memory = '') => {
    const p50 = percentile(latenciesMs, 0.5);
    const p99 = percentile(latenciesMs, 0.99);
    const perSecond = Math.round(latenciesMs.length / seconds);
    report(
      {
        topic: 'Load',
        tried: `creates, lists and deletes over ${connections} connections for ${seconds} s`,
        count: latenciesMs.length,
        unit: 'calls',
        outcome:
          `Every call succeeded: ${perSecond} calls/s, median ${p50} ms, ` +
          `99th percentile ${p99} ms.${memory}`,
      },
      startedAt,
    );
  };
  const short = countOf({ whole: 60 });
  const long = countOf({ whole: 600 });
  const high = await load(program, 200, short);
  const low = await load(program, 20, long);
  const { code, stderr } = await program.end();
  expect({ code, errors: stderr.match(/^error: .*/gm) }).toEqual({ code: 0, errors: null });

  const tenth = Math.ceil(low.megabytes.length / 10);
  const warm = percentile(low.megabytes.slice(2 * tenth, 3 * tenth), 0.5);
  const end = percentile(low.megabytes.slice(-tenth), 0.5);
  // A short run ends before the engine's memory has grown to its size.
  if (share === 1 && process.platform === 'linux') {
    expect(end).toBeLessThan(1.1 * warm);
  }
  tell(200, short, high.latenciesMs);
  const memory = ` Memory was ${warm} MB after the warm-up and ${end} MB at the end.`;
  tell(20, long, low.latenciesMs, memory);
});
