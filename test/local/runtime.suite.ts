import { writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, jest, test } from '@jest/globals';
import { leaveAws } from '../../lib/local/away-from-aws.ts';
import {
  type Functions,
  functionVariables,
  type Outcome,
  startFunctions,
} from '../../lib/local/runtime/functions.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { clock } from '../support/clock/clock.ts';
import { eventually } from '../support/eventually.ts';

/** Makes a thread wait for the file `start`, and then load an endless list and other functions. */
const hooks = `
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
while (!existsSync(process.env.START)) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}
const list = \`export function handler() {
  console.info({ code: 'PLANTS_LISTED', note: 'logged before the loop' });
  // A pause in each turn leaves the processor to other tests.
  for (;;) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
}\`;
const other = "export const handler = () => 'x';";
registerHooks({
  load(url, context, next) {
    const [, entry] = /\\/functions\\/([a-z-]+)\\.ts$/.exec(url) ?? [];
    const source = entry === 'list-plants' ? list : other;
    return entry ? { format: 'module', source, shortCircuit: true } : next(url, context);
  },
});`;

/** Starts functions that load their code after `load`. */
function startWithHooks() {
  const start = join(temporaryFolder(), 'start');
  const functions = startFunctions({
    variables: {
      ...functionVariables('http://127.0.0.1:1'),
      START: start,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hooks)}`,
    },
    onOutput: () => {},
    onError: (error) => process.stderr.write(`${error.stack}`),
  });
  finallyDo(functions.stop);
  return { ...functions, load: () => writeFileSync(start, '') };
}

/** Calls the endless list. Collects the messages of its thread. */
function loop({ call }: Functions) {
  const post = jest.spyOn(Worker.prototype, 'postMessage');
  const looping = { messages: [] as unknown[], outcome: undefined as Outcome | undefined };
  void call('list-plants', {}).then((outcome) => Object.assign(looping, { outcome }));
  const [thread] = post.mock.contexts as [Worker];
  post.mockRestore();
  thread.on('message', (message) => looping.messages.push(message));
  return looping;
}

test('a stop while the code is loading rejects `loaded`, which nothing needs to await', async () => {
  const { loaded, stop } = startWithHooks();
  await stop();
  await new Promise(setImmediate);
  const message = 'The functions stopped before they were loaded.';
  await expect(loaded).rejects.toHaveProperty('message', message);
});

test('a stop fails the call in progress', async () => {
  const functions = startWithHooks();
  const looping = loop(functions);
  functions.load();
  await eventually('the loop', () => looping.messages.length === 2);
  await functions.stop();
  expect(looping.outcome?.failure?.message).toBe('The functions were stopped.');
});

test('an endless loop is stopped ten seconds after its code was loaded, and the next call is served', async () => {
  const functions = startWithHooks();
  const looping = loop(functions);
  await clock.advance(9999);
  functions.load();
  await eventually('the loop', () => looping.messages.length === 2);
  await clock.advance(9999);
  expect(looping.outcome).toBeUndefined();
  await clock.advance(1);
  const message = 'list-plants did not return within 10 s.';
  const line = '{"code":"PLANTS_LISTED","note":"logged before the loop"}';
  expect(looping.outcome).toEqual({ failure: { message, stack: message }, log: [line] });
  expect(await functions.call('create-plant', {})).toEqual({ payload: '"x"', log: [] });
});

test('a call that failed while the code was loading stops no later call', async () => {
  const functions = startWithHooks();
  // The first thread loads its code before it stops.
  const terminate = jest.spyOn(Worker.prototype, 'terminate').mockResolvedValueOnce(0);
  const failed = loop(functions);
  functions.reload();
  const [stopping] = terminate.mock.contexts as [Worker];
  terminate.mockRestore();
  finallyDo(() => stopping.terminate());
  functions.load();
  await eventually('the code', () => failed.messages[0] === 'loaded');
  expect(failed.outcome?.failure?.message).toBe('The functions were reloaded.');

  await functions.call('create-plant', {});
  await clock.advance(5000);
  const looping = loop(functions);
  await clock.advance(9999);
  expect(looping.outcome).toBeUndefined();
});

const withoutFiles = {
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
};

test('the functions get these environment variables, with the NODE_OPTIONS by which an editor starts its debugger', () => {
  process.env.NODE_OPTIONS = '--require=debugger.js';
  const variables = functionVariables('http://127.0.0.1:8000', 'https://plants.example');
  delete process.env.NODE_OPTIONS;
  const own = {
    ...withoutFiles,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    TZ: 'UTC',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000',
    PLANTS_TABLE: 'Plants',
    ACCESS_TOKENS_TABLE: 'AccessTokens',
  };
  expect(variables).toEqual({
    ...own,
    CORS_ORIGIN: 'https://plants.example',
    NODE_OPTIONS: '--require=debugger.js',
  });
  expect(functionVariables('http://127.0.0.1:8000')).toStrictEqual(own);
});

test('a program leaves AWS, and keeps its other variables', () => {
  const { env } = process;
  process.env = { AWS_PROFILE: 'work', AWS_REGION: 'eu-central-1', MY_AWS_: 'mine' };
  leaveAws();
  const left = process.env;
  process.env = env;
  expect(left).toEqual({ MY_AWS_: 'mine', ...withoutFiles });
});
