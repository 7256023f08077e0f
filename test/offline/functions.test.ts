import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, jest, test } from '@jest/globals';
import { functionVariables, startFunctions } from '../../lib/offline/functions.ts';
import { finallyDo } from '../support/cleanup.ts';

test('a call that failed while the code was loading starts no timer', async () => {
  const terminate = Worker.prototype.terminate;
  const isLoaded = Promise.withResolvers<void>();
  // The thread loads its code before it stops.
  jest.spyOn(Worker.prototype, 'terminate').mockImplementationOnce(async function (this: Worker) {
    await once(this, 'message');
    await setImmediate();
    isLoaded.resolve();
    return terminate.call(this);
  });
  const timers = jest.spyOn(globalThis, 'setTimeout');
  const functions = startFunctions({
    variables: functionVariables('http://127.0.0.1:1'),
    timeoutMs: 12_345,
    onOutput: () => {},
    onError: () => {},
  });
  finallyDo(functions.stop);

  const failed = functions.call('list-plants', {});
  functions.reload();
  expect((await failed).failure?.message).toBe('The functions were reloaded.');
  await isLoaded.promise;
  expect(timers).not.toHaveBeenCalledWith(expect.anything(), 12_345);

  await functions.call('list-plants', {});
  expect(timers).toHaveBeenCalledWith(expect.anything(), 12_345);
  jest.restoreAllMocks();
});
