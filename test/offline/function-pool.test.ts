import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { listen } from '../../lib/offline/http/listen.ts';
import type { LambdaFunction } from '../../lib/offline/lambda/execution-environment.ts';
import { type FunctionPool, functionPool } from '../../lib/offline/lambda/function-pool.ts';
import { newTrace } from '../../lib/offline/trace.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { gate } from './fixture.ts';

const lambda: LambdaFunction = {
  FunctionName: 'Fault',
  Handler: 'index.handler',
  Code: {},
  Timeout: 30,
  folder: join(import.meta.dirname, 'fixture', 'functions', 'fault'),
};

/** Starts a pool that runs one invocation at a time. */
function startPool(): FunctionPool {
  const pool = functionPool(lambda, 'http://127.0.0.1:1', () => {}, 1);
  finallyDo(() => pool.stop());
  return pool;
}

function ask(pool: FunctionPool, what: string, more: object = {}) {
  return pool.invoke({ body: JSON.stringify({ do: what, ...more }) }, newTrace());
}

const served = { payload: expect.stringContaining('environment') };
const stopped = {
  error: { errorType: 'Runtime.ExitError', errorMessage: 'The emulator ended it.' },
};

test('a pool that is retired serves the invocations that have arrived', async () => {
  const pool = startPool();
  const { url, holds, release } = gate();
  const held = ask(pool, 'wait at a gate', { gate: await url });
  const behind = [ask(pool, 'nothing'), ask(pool, 'nothing')];
  await holds(1);
  pool.retire();
  release();
  expect(await Promise.all([held, ...behind])).toEqual([served, served, served]);
});

test('a pool that is retired ends its environments once they are idle', async () => {
  const server = createServer();
  finallyDo(() => server.close());
  const port = await listen(server, 0, '127.0.0.1');
  const pool = startPool();
  /** Invokes the function, which then holds a connection as long as its environment lives. */
  async function connect(): Promise<Socket> {
    const connection: Promise<Socket[]> = once(server, 'connection');
    expect(await ask(pool, 'keep a connection', { port })).toEqual(served);
    const [socket = new Socket()] = await connection;
    return socket.resume();
  }
  const idle = await connect();
  pool.retire();
  await eventually('the end of the idle environment', () => idle.closed);
  const late = await connect();
  await eventually('the end of an environment that started late', () => late.closed);
});

test('a pool that is stopped ends all invocations, and those that wait never begin', async () => {
  const pool = startPool();
  const { url, holds } = gate();
  const held = ask(pool, 'wait at a gate', { gate: await url });
  const behind = ask(pool, 'wait at a gate', { gate: await url });
  await holds(1);
  await pool.stop();
  expect(await Promise.all([held, behind])).toEqual([stopped, stopped]);
  expect(await ask(pool, 'nothing')).toEqual(stopped);
});

test('a function without its code fails as in Lambda, and runs once the code is back', async () => {
  const folder = join(temporaryFolder(), 'function');
  const pool = functionPool({ ...lambda, folder }, 'http://127.0.0.1:1', () => {}, 2);
  finallyDo(() => pool.stop());
  const all = ['a', 'b', 'c'].map(() => ask(pool, 'nothing'));
  const error = { errorType: 'Runtime.ImportModuleError', errorMessage: expect.any(String) };
  expect(await Promise.all(all)).toEqual([{ error }, { error }, { error }]);
  cpSync(lambda.folder, folder, { recursive: true });
  expect(await ask(pool, 'nothing')).toEqual(served);
});
