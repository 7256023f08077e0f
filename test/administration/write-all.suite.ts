import { expect, jest, test } from '@jest/globals';
import { UnknownOutcome } from '../../functions/dynamodb/errors.ts';
import { CommandError } from '../../lib/command-line/command-error.ts';

/** Pauses between calls, in milliseconds. The mock resolves at once. */
const pauses: number[] = [];
jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: async (ms: number) => pauses.push(ms),
}));
const { retryWhileThrottled, writeAll } = await import('../../lib/administration/write-all.ts');

const target = { explain: (error: unknown) => (error as Error).message };

async function* numbersTo(last: number): AsyncGenerator<number> {
  yield* Array.from({ length: last }, (_, i) => i + 1);
}

test('32 writes are in progress at a time', async () => {
  const open: (() => void)[] = [];
  const write = () => new Promise<void>((resolve) => open.push(resolve));
  const writing = writeAll(target, numbersTo(100), write, () => 'none');
  const counts: number[] = [];
  for (let left = 100; left > 0; ) {
    await new Promise(setImmediate);
    counts.push(open.length);
    left -= open.length;
    for (const end of open.splice(0)) {
      end();
    }
  }
  await writing;
  expect(counts).toEqual([32, 32, 32, 4]);
});

test('an error starts with the writes whose outcome is unknown', async () => {
  const denials = [new CommandError('Denied.'), new CommandError('Denied later.')];
  const errors = [...denials, makeLoss(), makeLoss()];
  async function write(number: number): Promise<void> {
    // All writes start before the first one fails.
    await new Promise(setImmediate);
    throw errors[number - 1];
  }
  const writing = writeAll(target, numbersTo(errors.length), write, () => 'none');
  await expect(writing).rejects.toThrow(
    new CommandError(
      'The outcome of 2 writes is unknown (read ECONNRESET). Denied. So far: none. Repeat the command.',
    ),
  );
});

/** The error of a write whose response was lost. */
function makeLoss(): UnknownOutcome {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  return new UnknownOutcome(false, reset);
}

test('an interruption counts the writes that are in progress or whose outcome is unknown', async () => {
  const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const say = jest.spyOn(console, 'error').mockReturnValue();
  const lost = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const write = (number: number) => (number === 1 ? lost : open).promise;
  const writing = writeAll(target, numbersTo(3), write, () => '1 thing');
  await new Promise(setImmediate);
  lost.reject(makeLoss());
  await new Promise(setImmediate);
  process.emit('SIGINT');
  expect(say.mock.calls).toEqual([
    [
      'error: interrupted. The outcome of 3 writes is unknown. So far: 1 thing. Repeat the command.',
    ],
  ]);
  expect(exit.mock.calls).toEqual([[1]]);
  jest.restoreAllMocks();
  open.resolve();
  await expect(writing).rejects.toThrow('The outcome of 1 write is unknown');
});

test('a throttled call is retried six times after pauses that double', async () => {
  // A pause is half or more of 0.5, 1, 2, 4, 8 and 16 s.
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
  const throttled = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
  let calls = 0;
  const calling = retryWhileThrottled(async () => {
    calls += 1;
    throw throttled;
  });
  await expect(calling).rejects.toBe(throttled);
  jest.restoreAllMocks();
  expect(pauses).toEqual([375, 750, 1500, 3000, 6000, 12_000]);
  expect(calls).toBe(7);
});
