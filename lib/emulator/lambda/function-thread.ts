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
  /** How many invocations the thread has begun. */
  const begun = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(new URL('./runtime.mjs', import.meta.url), {
    env,
    name,
    // A large young generation could exceed the limit at once, which ends the whole process.
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 8 },
    stderr: true,
    stdout: true,
    workerData: { functionArn: functionArn(name), begun },
  });
  let sent = 0;
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
     * `onBegin`. Resolves with undefined if the thread ended before.
     */
    invoke(invocation: Invocation, onBegin: () => void): Promise<Outcome | undefined> {
      sent += 1;
      const place = sent;
      thread.postMessage(invocation);
      const outcome = last.then(async () => {
        // Until it has ended, the thread may begin another invocation.
        if (cause) await thread.terminate();
        if (cause && place > 1 && Atomics.load(begun, 0) < place) return undefined;
        onBegin();
        return cause ? { error: cause } : outcomeOf(invocation.requestId, invocation.timeoutMs);
      });
      last = outcome;
      return outcome;
    },
    isUsable: () => !cause,
    stop,
  };
}
