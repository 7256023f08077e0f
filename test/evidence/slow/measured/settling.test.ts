import { beforeAll, expect, test } from '@jest/globals';
import { timeouts } from '../../../../functions/shared/timeouts.ts';
import { finallyDo } from '../../../support/cleanup.ts';
import {
  type Fault,
  type FaultProxy,
  loseAnswer,
  pass,
  stall,
  startFaultProxy,
  throttle,
} from '../../../support/database/proxy.ts';
import { countOf } from '../../../support/report/property.ts';
import { report } from '../../../support/report/report.ts';
import { type Service, startService } from '../../../support/service/service.ts';
import { percentile } from './percentile.ts';

let proxy: FaultProxy;
let service: Service;
let headers: Record<string, string>;
const owner = 'alice';
beforeAll(async () => {
  proxy = await startFaultProxy();
  finallyDo(proxy.stop);
  service = await startService({ between: proxy.before });
  finallyDo(service.stop);
  const Authorization = `Bearer ${await service.issue(owner)}`;
  headers = { Authorization, 'Content-Type': 'application/json' };
});

/**
 * Creates and deletes so many plants. Expects each call to succeed although the database has a
 * fault, by a write and the commands of `more`. Returns how long each took.
 */
async function measure(plants: number, fault: Fault, more: (write: string) => string[]) {
  const call = async (command: string, expected: number, path: string, init: RequestInit) => {
    proxy.play(owner, fault, pass);
    const before = proxy.seen(owner).length;
    const sentAt = performance.now();
    const { status } = await fetch(service.baseUrl + path, { headers, ...init });
    const latencyMs = performance.now() - sentAt;
    const outcome = [status, ...proxy.seen(owner).slice(before)];
    expect(outcome).toEqual([expected, command, ...more(command)]);
    return latencyMs;
  };
  const latenciesMs: number[] = [];
  for (let id = 1; id <= plants; id += 1) {
    const body = JSON.stringify({ id, name: 'Aloe' });
    latenciesMs.push(await call('PutItem', 201, '/plants', { method: 'POST', body }));
    latenciesMs.push(await call('DeleteItem', 204, `/plants/${id}`, { method: 'DELETE' }));
  }
  return latenciesMs;
}

const rounded = (values: number[], part: number) => Number(percentile(values, part).toFixed(1));

test('a write whose answer is lost is settled by one read', async () => {
  const startedAt = performance.now();
  const settled = () => ['GetItem'];
  // The first calls wait for the functions to start.
  await measure(countOf({ whole: 100 }), pass, () => []);
  const measured = {
    'no fault': await measure(countOf({ whole: 500 }), pass, () => []),
    'answer lost': await measure(countOf({ whole: 500 }), loseAnswer, settled),
    'write throttled': await measure(countOf({ whole: 20 }), throttle, (write) => [write]),
    'answer stalled': await measure(countOf({ whole: 4 }), stall, settled),
  };
  // A lost connection is noticed at once.
  expect(Math.max(...measured['answer lost'])).toBeLessThan(timeouts.attempt);
  expect(Math.max(...Object.values(measured).flat())).toBeLessThan(timeouts.operation);

  const medians = Object.values(measured).map((latencies) => rounded(latencies, 0.5));
  const [ordinaryMs = 0, settledMs = 0, throttledMs = 0, stalledMs = 0] = medians;
  report(
    {
      topic: 'Faults',
      tried: 'creates and deletes whose answer is lost after the commit, timed',
      count: measured['answer lost'].length,
      unit: 'calls',
      outcome:
        `Each succeeded by two commands, the write and a read: median ${settledMs} ms, and ` +
        `${ordinaryMs} ms without a fault. It was ${throttledMs} ms if the write was throttled ` +
        `once, and ${stalledMs} ms if its answer stalled.`,
      figures: { ordinaryMs, settledMs, throttledMs, stalledMs, commands: 2 },
    },
    startedAt,
  );
});
