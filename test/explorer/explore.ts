import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { explore, loadFunctions, type Scenario, scenarios } from './schedules.ts';

const whole = () => [...scenarios(3, 2, false), ...scenarios(2, 2, true)];

/**
 * Explores the scenarios that no other thread has taken, and returns how many schedules they have.
 */
async function work(functions: string, all: Scenario[], taken: Int32Array): Promise<number> {
  const run = await loadFunctions(functions);
  let schedules = 0;
  for (;;) {
    const scenario = all[Atomics.add(taken, 0, 1)];
    if (!scenario) return schedules;
    for await (const { calls, steps, violation } of explore(run, scenario)) {
      schedules += 1;
      if (!violation) continue;
      const answers = calls.map(({ operation, status }) => `${operation}: ${status}`).join(', ');
      const replay = JSON.stringify({ ...scenario, schedule: steps.map((step) => step.taken) });
      throw new Error(`${violation} ${answers}\nReplay: npm run explore -- '${replay}'`);
    }
  }
}

if (isMainThread) {
  const functions = join(import.meta.dirname, '../../functions');
  const { values, positionals } = parseArgs({
    options: { small: { type: 'boolean' }, functions: { type: 'string', default: functions } },
    allowPositionals: true,
  });
  const given: Scenario[] = positionals.map((scenario) => JSON.parse(scenario));
  const all = given.length > 0 ? given : values.small ? scenarios(2, 2, false) : whole();
  const data = [values.functions, all, new Int32Array(new SharedArrayBuffer(4))];
  const threads = Array.from({ length: Math.min(availableParallelism(), all.length) }, () => {
    const thread = new Worker(import.meta.filename, { workerData: data });
    return new Promise<number>((resolve, reject) =>
      thread.on('message', resolve).on('error', reject),
    );
  });
  const counts = await Promise.all(threads).catch(({ message }) => {
    console.log(message);
    return process.exit(1);
  });
  const schedules = counts.reduce((sum, count) => sum + count, 0);
  console.log(`${schedules} schedules of ${all.length} scenarios hold the contract.`);
} else {
  parentPort?.postMessage(await work(...(workerData as Parameters<typeof work>)));
}
