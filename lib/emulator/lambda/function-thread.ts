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
  traceId: string | undefined;
  event: string;
  deadline: number;
};
export type Message =
  | { type: 'log'; line: string }
  | { type: 'outcome'; of: string; outcome: Outcome };

/** https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html */
const maxInitSeconds = 10;

/**
 * 6 MB, and 100 bytes that are not documented.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const maxResponseBytes = 6 * 1024 * 1024 + 100;

/**
 * Starts the thread of an execution environment, which has only the given variables. The memory
 * limit counts V8's heap but no buffers. `print` gets every line that the function writes. The
 * outcome of loading the code is `init`. An invocation that takes too many seconds ends the thread.
 */
export function startThread(
  name: string,
  env: Record<string, string>,
  memoryMb: number,
  print: (line: string) => void,
) {
  const thread = new Worker(new URL('./runtime.mjs', import.meta.url), {
    env,
    name,
    // A large young generation could exceed the limit at once, which ends the whole process.
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 8 },
    stderr: true,
    stdout: true,
    workerData: functionArn(name),
  });
  let usable = true;
  let awaited: { id: string; resolve: (outcome: Outcome) => void } | undefined;

  function end(errorType: string, errorMessage: string): void {
    if (usable) print(`${errorType}: ${errorMessage}`);
    awaited?.resolve({ error: { errorType, errorMessage } });
    void stop();
  }
  function stop(): Promise<unknown> {
    usable = false;
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
    if (Buffer.byteLength(outcome.payload ?? '') > maxResponseBytes)
      end(
        'Function.ResponseSizeTooLarge',
        `Response payload size exceeded maximum allowed payload size (${maxResponseBytes} bytes).`,
      );
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

  async function outcomeOf(id: string, seconds: number): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    awaited = { id, resolve };
    const message = `${id} Task timed out after ${seconds.toFixed(2)} seconds`;
    const timer = setTimeout(end, seconds * 1000, 'Sandbox.Timedout', message);
    const outcome = await promise;
    clearTimeout(timer);
    awaited = undefined;
    return outcome;
  }

  return {
    init: outcomeOf('INIT', maxInitSeconds),
    invoke(invocation: Invocation, seconds: number) {
      const outcome = outcomeOf(invocation.requestId, seconds);
      thread.postMessage(invocation);
      return outcome;
    },
    isUsable: () => usable,
    stop,
  };
}
