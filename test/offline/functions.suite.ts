import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';

/** The threads so far. They do nothing. */
const threads: EventEmitter[] = [];
class Worker extends EventEmitter {
  stdout = new PassThrough();
  stderr = new PassThrough();
  constructor() {
    super();
    threads.push(this);
  }
  postMessage() {}
  async terminate() {}
}
jest.unstable_mockModule('node:worker_threads', () => ({ Worker }));
const { functionVariables, startFunctions } = await import('../../lib/offline/functions.ts');

test('a call that failed while the code was loading starts no timer', async () => {
  const timers = jest.spyOn(globalThis, 'setTimeout');
  const functions = startFunctions({
    variables: {},
    timeoutMs: 12_345,
    onOutput: () => {},
    onError: () => {},
  });
  const failed = functions.call('list-plants', {});
  functions.reload();
  expect((await failed).failure?.message).toBe('The functions were reloaded.');
  // The first thread has loaded its code before it stops.
  threads[0]?.emit('message', 'loaded');
  await setImmediate();
  expect(timers).not.toHaveBeenCalledWith(expect.anything(), 12_345);

  const stopped = functions.call('list-plants', {});
  threads[1]?.emit('message', 'loaded');
  await setImmediate();
  expect(timers).toHaveBeenCalledWith(expect.anything(), 12_345);
  jest.restoreAllMocks();
  await functions.stop();
  expect((await stopped).failure?.message).toBe('The functions were stopped.');
});

test('the functions get NODE_OPTIONS, with which an editor starts its debugger', () => {
  process.env.NODE_OPTIONS = '--require=debugger.js';
  const variables = functionVariables('http://127.0.0.1:8000');
  delete process.env.NODE_OPTIONS;
  expect(variables).toMatchObject({ NODE_OPTIONS: '--require=debugger.js', TZ: 'UTC' });
});
