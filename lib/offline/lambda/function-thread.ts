import { Worker } from 'node:worker_threads';
import { functionArn } from '../template/resource-values.ts';

export type FunctionError = { errorType: string; errorMessage: string };

/** The outcome of INIT or an invocation: the result as JSON text, or the error that ended it. */
export type Outcome =
  | { payload: string; error?: never }
  | { error: FunctionError; payload?: never };

/** Messages to and from the runtime in the thread. */
export type Invocation = {
  requestId: string;
  traceId: string;
  event: string;
  timeoutMs: number;
};
export type Message =
  | { type: 'log'; line: string }
  | { type: 'outcome'; of: string; outcome: Outcome };

/** https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html */
const maxInitMs = 10_000;

/**
 * 6 MB, and 100 bytes that are not documented.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const maxBytes = 6 * 1024 * 1024 + 100;
const responseTooLarge = {
  errorType: 'Function.ResponseSizeTooLarge',
  errorMessage: `Response payload size exceeded maximum allowed payload size (${maxBytes} bytes).`,
};
const stopped = { errorType: 'Runtime.ExitError', errorMessage: 'The emulator ended it.' };

/**
 * Starts the thread of an execution environment, which has only the given variables. The memory
 * limit counts V8's heap but no buffers. `print` gets every line that the function writes. An
 * invocation that takes too long ends the thread.
 */
export function startThread(
  name: string,
  env: Record<string, string>,
  memoryMb: number,
  print: (line: string) => void,
) {
  /**
   * An invocation is claimed here, by its place: by the thread that begins it, or by `takeBack`.
   * Four numbers are enough, because at most three invocations are on their way.
   */
  const claims = new Int32Array(new SharedArrayBuffer(16));
  const thread = new Worker(new URL('./runtime.mjs', import.meta.url), {
    env,
    name,
    // A large young generation could exceed the limit at once, which ends the whole process.
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 8 },
    stderr: true,
    stdout: true,
    workerData: { functionArn: functionArn(name), claims },
  });
  // The places of the last invocation that was sent, whose turn came, and that was taken back.
  let [sent, turn, takenBack] = [0, 0, 0];
  let giveBack: (outcome: undefined) => void = () => {};
  let awaited: { id: string; resolve: (outcome: Outcome) => void } | undefined;
  /** Why the thread ends or has ended. */
  let cause: FunctionError | undefined;

  function fail(error: FunctionError): void {
    if (!cause) print(`${error.errorType}: ${error.errorMessage}`);
    awaited?.resolve({ error });
  }
  function end(errorType: string, errorMessage: string): void {
    fail({ errorType, errorMessage });
    cause ??= { errorType, errorMessage };
    void stop();
  }
  function stop(): Promise<unknown> {
    cause ??= stopped;
    return thread.terminate();
  }

  for (const stream of [thread.stdout, thread.stderr])
    stream
      .setEncoding('utf8')
      .on('data', (text: string) => text.trimEnd().split('\n').forEach(print));
  thread.on('message', (message: Message) => {
    if (message.type === 'log') return print(message.line);
    const { of, outcome } = message;
    if (of !== awaited?.id) return;
    if (Buffer.byteLength(outcome.payload ?? '') > maxBytes) fail(responseTooLarge);
    else awaited.resolve(outcome);
  });
  thread.on('error', (error: NodeJS.ErrnoException) => {
    const isOutOfMemory = error?.code === 'ERR_WORKER_OUT_OF_MEMORY';
    const errorType = isOutOfMemory ? 'Runtime.OutOfMemory' : (error?.name ?? typeof error);
    end(errorType, String(error?.message ?? error));
  });
  thread.on('exit', (code) =>
    end('Runtime.ExitError', `Runtime exited with error: exit status ${code}`),
  );

  async function outcomeOf(id: string, timeoutMs: number): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    awaited = { id, resolve };
    const message = `${id} Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`;
    const timer = setTimeout(end, timeoutMs, 'Sandbox.Timedout', message);
    const outcome = await promise;
    clearTimeout(timer);
    awaited = undefined;
    return outcome;
  }

  const init = outcomeOf('INIT', maxInitMs).then(({ error }) => {
    if (!error) return;
    cause = error;
    void stop();
  });
  let last: Promise<unknown> = init;

  return {
    /** Resolves once the code is loaded, or could not be. */
    init,
    /**
     * Sends an invocation to the thread, which begins it after the one before. Then calls
     * `onBegin`. Resolves with undefined if the thread ended before, or it was taken back.
     */
    invoke(invocation: Invocation, onBegin: () => void): Promise<Outcome | undefined> {
      sent += 1;
      const place = sent;
      const { promise, resolve } = Promise.withResolvers<Outcome | undefined>();
      giveBack = resolve;
      thread.postMessage(invocation);
      last = last.then(async () => {
        // Until it has ended, the thread may begin another invocation.
        if (cause) await thread.terminate();
        turn = place;
        const isLost = cause && place > 1 && claims[place % claims.length] !== place;
        if (place === takenBack || isLost) return resolve(undefined);
        onBegin();
        const { requestId, timeoutMs } = invocation;
        resolve(cause ? { error: cause } : await outcomeOf(requestId, timeoutMs));
      });
      return promise;
    },
    /** Takes back the last invocation and returns true. Returns false if it has begun. */
    takeBack(): boolean {
      if (sent === turn || Atomics.exchange(claims, sent % claims.length, sent) === sent)
        return false;
      takenBack = sent;
      giveBack(undefined);
      return true;
    },
    /** Returns whether the invocation after the running one was taken back. */
    isLong: () => takenBack > turn,
    isUsable: () => !cause,
    stop,
  };
}
