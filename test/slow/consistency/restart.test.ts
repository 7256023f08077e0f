import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { Operation } from '../../../functions/shared/operations.ts';
import { ownerCalls } from '../../consistency/owner-calls.ts';
import { startHistory } from '../../consistency/recorded-history.ts';
import { root } from '../../support/checkout.ts';
import { finallyDo, temporaryFolder } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/http/free-port.ts';
import { openStore, type Store } from '../../support/service/store.ts';

/** Starts the embedded engine on disk, in a process that can be killed and started again. */
async function openDatabase() {
  const program = join(root, 'test', 'offline', 'database-process.ts');
  const data = temporaryFolder();
  const port = await freePort();
  const startProcess = async () => {
    const child = fork(program, [data, `${port}`], { execPath: process.execPath, execArgv: [] });
    await eventually('a database', once(child, 'message'));
    return child;
  };
  let running = await startProcess();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {},
    async kill() {
      running.kill('SIGKILL');
      await eventually('the end of the database', once(running, 'exit'));
    },
    async start() {
      running = await startProcess();
    },
  };
}

let database: Awaited<ReturnType<typeof openDatabase>>;
let store: Store;
beforeAll(async () => {
  database = await openDatabase();
  finallyDo(database.kill);
  // The authorizer is asked for every call.
  store = await openStore({ database, authorizerCache: 0, atOnce: true });
  finallyDo(store.stop);
});

const random = (below: number) => Math.floor(Math.random() * below);

/**
 * Lets clients write and read while the database is killed and started again. Returns the calls,
 * and which of them began after the start.
 */
async function playRestart(owner: string) {
  const history = startHistory();
  const canBeBusy: Operation[] = ['createPlant', 'deletePlant', 'listPlants'];
  const calls = history.of(ownerCalls(store, owner, { isOverHttp: true, canBeBusy }));
  const steps = [calls.list, calls.create, calls.delete];

  let answered = 0;
  let left = Number.POSITIVE_INFINITY;
  const half = Promise.withResolvers<void>();
  const client = async () => {
    while (left > 0) {
      left -= 1;
      // Few calls are about one plant, so that an order of them is found soon.
      const id = Math.floor(answered / 20) + random(3);
      await steps[random(3)]?.(id, ['Aloe', 'Ficus'][random(2)] ?? '');
      answered += 1;
      if (answered === 40) {
        half.resolve();
      }
    }
  };
  const all = Promise.all(Array.from({ length: 6 }, client));
  // The others end too if one fails.
  all.catch(() => (left = 0));
  await Promise.race([half.promise, all]);
  history.beginFault('kill');
  await database.kill();
  history.endFault();
  await database.start();
  const startedAgain = history.now();
  left = Math.min(left, 40);
  await all;
  expect(await calls.list()).toBe(200);
  expect(history.violation()).toBeUndefined();
  const isLater = ({ arrivals: [start] }: (typeof history.calls)[0]) =>
    Number(start) > startedAgain;
  return { all: history.calls, later: history.calls.filter(isLater) };
}

test('a database that is killed and started again loses and doubles nothing', async () => {
  const statuses: number[] = [];
  for (let restart = 0; restart < 5; restart += 1) {
    const { all, later } = await playRestart(`owner-${restart}`);
    statuses.push(...all.map(({ status }) => status));
    // A create may meet a plant that comes and goes.
    const certain = later.filter(({ operation }) => !operation.startsWith('create'));
    expect(certain.filter(({ status }) => status === 503)).toEqual([]);
  }
  expect(statuses).toContain(503);
}, 300_000);
