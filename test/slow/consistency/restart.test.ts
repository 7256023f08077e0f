import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Operation, operations } from '../../../functions/shared/operations.ts';
import { ownerCalls } from '../../consistency/owner-calls.ts';
import { startHistory } from '../../consistency/recorded-history.ts';
import { root } from '../../support/checkout.ts';
import { finallyDo, temporaryFolder } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/http/free-port.ts';
import { send } from '../../support/http/http-client.ts';
import { type Functions, pathOf, requireDescribed } from '../../support/service/functions.ts';
import { startService } from '../../support/service/service.ts';

/** Starts the embedded engine on disk, in a process that can be killed and restarted. */
async function openDatabase() {
  const program = join(root, 'test', 'slow', 'consistency', 'database-process.ts');
  const data = temporaryFolder();
  const port = await freePort();
  const startProcess = async () => {
    const child = fork(program, [data, `${port}`], { execPath: process.execPath, execArgv: [] });
    const [message] = await eventually(
      'a database',
      Promise.race([once(child, 'message'), once(child, 'exit')]),
    );
    expect(message).toBe(`http://127.0.0.1:${port}`);
    return child;
  };
  let running = await startProcess();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {},
    async kill() {
      running.kill('SIGKILL');
      await eventually('the exit of the database', once(running, 'exit'));
    },
    async start() {
      running = await startProcess();
    },
  };
}

const database = await openDatabase();
finallyDo(database.kill);
// Without a cache, the authorizer reads from the database for every call.
const service = await startService({ engine: database, authorizerCache: 0 });
finallyDo(service.stop);
const agent = new Agent({ keepAlive: true });
finallyDo(() => agent.destroy());

/** Returns a function that calls the service with an access token. */
const callsWith =
  (token: string): Functions['call'] =>
  async ({ operation, headers = [], body, path }, canBeBusy) => {
    const request = {
      method: operations[operation].method,
      path: pathOf(operation, path),
      headers: ['Authorization', `Bearer ${token}`, ...headers.flat()],
      body,
    };
    const response = await send(service.baseUrl, request, agent);
    requireDescribed(operation, response, service.log, canBeBusy);
    return response;
  };

const step = fc.tuple(
  fc.constantFrom('list', 'create', 'delete'),
  fc.nat(2),
  fc.constantFrom('Aloe', 'Ficus'),
);
const steps = fc.sample(step, { seed: 7, numRuns: 200 });

/**
 * Kills and restarts the database while clients write and read. Returns all calls, and those that
 * began after the restart.
 */
async function playRestart(owner: string) {
  const history = startHistory();
  const canBeBusy: Operation[] = ['createPlant', 'deletePlant', 'listPlants'];
  const call = callsWith(await service.issue(owner));
  const calls = history.of(ownerCalls(call, owner, canBeBusy));

  let started = 0;
  let finished = 0;
  let left = Number.POSITIVE_INFINITY;
  const half = Promise.withResolvers<void>();
  const client = async () => {
    while (left > 0) {
      left -= 1;
      const [operation, offset, variety] = steps[started % steps.length] as (typeof steps)[0];
      started += 1;
      // With few calls about each plant, their order is found quickly.
      await calls[operation](Math.floor(finished / 20) + offset, variety);
      finished += 1;
      if (finished === 40) {
        half.resolve();
      }
    }
  };
  const all = Promise.all(Array.from({ length: 6 }, client));
  // If one client fails, the others stop too.
  all.catch(() => (left = 0));
  await Promise.race([half.promise, all]);
  history.beginFault('kill');
  await database.kill();
  history.endFault();
  await database.start();
  const restarted = history.now();
  left = Math.min(left, 40);
  await all;
  expect(await calls.list()).toBe(200);
  expect(history.violation()).toBeUndefined();
  const isLater = ({ arrivals: [start] }: (typeof history.calls)[0]) => Number(start) > restarted;
  return { all: history.calls, later: history.calls.filter(isLater) };
}

test('killing and restarting the database loses no write and repeats none', async () => {
  const statuses: number[] = [];
  for (let restart = 0; restart < 5; restart += 1) {
    const { all, later } = await playRestart(`owner-${restart}`);
    statuses.push(...all.map(({ status }) => status));
    // A create may return 503 when its plant comes and goes.
    const certain = later.filter(({ operation }) => !operation.startsWith('create'));
    expect(certain.filter(({ status }) => status === 503)).toEqual([]);
  }
  expect(statuses).toContain(503);
}, 300_000);
