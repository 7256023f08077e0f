import { Worker } from 'node:worker_threads';
import { functionArn } from '../template/resource-values.ts';

export interface FunctionError {
  errorType: string;
  errorMessage: string;
}

/** The outcome of INIT or an invocation: the result as JSON text, or the error that ended it. */
export type Outcome =
  | { payload: string; error?: never }
  | { error: FunctionError; payload?: never };

/** What the runtime in the thread is told. */
export interface Invocation {
  requestId: string;
  traceId: string;
  event: string;
  timeoutMs: number;
}

/** What the runtime in the thread tells: a line of the log, or how INIT or the invocation ended. */
export type Message = { type: 'log'; line: string } | { type: 'outcome'; outcome: Outcome };

export interface FunctionThread {
  /** Resolves once the code is loaded, or could not be. */
  init: Promise<void>;
  /** Invokes the handler after INIT, if no other invocation is in progress. Never rejects. */
  invoke(invocation: Invocation): Promise<Outcome>;
  /** Returns whether the thread can take an invocation. Once it cannot, it never will again. */
  isUsable(): boolean;
  /** Ends the thread and the invocation in progress. */
  stop(): Promise<void>;
}

/** https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html */
const maxInitMs = 10_000;

/**
 * 6 MB, and 100 bytes that are not documented.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const maxBytes = 6 * 1024 * 1024 + 100;
const responseTooLarge: FunctionError = {
  errorType: 'Function.ResponseSizeTooLarge',
  errorMessage: `Response payload size exceeded maximum allowed payload size (${maxBytes} bytes).`,
};
export const stopped: FunctionError = {
  errorType: 'Runtime.ExitError',
  errorMessage: 'The emulator ended it.',
};

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
  initTimeoutMs = maxInitMs,
): FunctionThread {
  const thread = new Worker(new URL('./runtime.mjs', import.meta.url), {
    env,
    // The threads that a function starts have it too.
    execArgv: ['--import', new URL('./outgoing-calls.mjs', import.meta.url).href],
    name,
    // A large young generation could exceed the limit at once, which ends the whole process.
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 8 },
    stderr: true,
    stdout: true,
    workerData: { functionArn: functionArn(name) },
  });
  /** Resolves INIT or the invocation in progress. */
  let settle: ((outcome: Outcome) => void) | undefined;
  /** Why the thread ends or has ended. */
  let cause: FunctionError | undefined;

  /** Waits for the outcome of INIT or an invocation. Ends the thread if it takes too long. */
  async function outcomeOf(id: string, timeoutMs: number): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    settle = resolve;
    const timer = setTimeout(() => {
      const seconds = (timeoutMs / 1000).toFixed(2);
      end('Sandbox.Timedout', `${id} Task timed out after ${seconds} seconds`);
    }, timeoutMs);
    const outcome = await promise;
    clearTimeout(timer);
    settle = undefined;
    return outcome;
  }

  function fail(error: FunctionError, stack?: string): void {
    print(stack ?? `${error.errorType}: ${error.errorMessage}`);
    settle?.({ error });
  }

  /** Ends the thread. Only the first cause counts, because the end itself causes more errors. */
  function end(errorType: string, errorMessage: string, stack?: string): void {
    if (cause) {
      return;
    }
    cause = { errorType, errorMessage };
    fail(cause, stack);
    void thread.terminate();
  }

  async function stop(): Promise<void> {
    cause ??= stopped;
    settle?.({ error: cause });
    await thread.terminate();
  }

  for (const stream of [thread.stdout, thread.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      for (const line of text.trimEnd().split('\n')) {
        print(line);
      }
    });
  }
  thread.on('message', (message: Message) => {
    if (message.type === 'log') {
      print(message.line);
    } else if (Buffer.byteLength(message.outcome.payload ?? '') > maxBytes) {
      fail(responseTooLarge);
    } else {
      settle?.(message.outcome);
    }
  });
  thread.on('error', (error: NodeJS.ErrnoException | undefined) => {
    // A function may throw any value, also undefined.
    const isOutOfMemory = error?.code === 'ERR_WORKER_OUT_OF_MEMORY';
    const errorType = isOutOfMemory ? 'Runtime.OutOfMemory' : (error?.name ?? typeof error);
    end(errorType, String(error?.message ?? error), isOutOfMemory ? undefined : error?.stack);
  });
  thread.on('exit', (code) => {
    end('Runtime.ExitError', `Runtime exited with error: exit status ${code}`);
  });

  async function initialize(): Promise<void> {
    const { error } = await outcomeOf('INIT', initTimeoutMs);
    if (error) {
      // A thread whose code could not be loaded also exits, maybe before this line runs.
      cause = error;
      await thread.terminate();
    }
  }
  const init = initialize();

  return {
    init,
    async invoke(invocation) {
      await init;
      if (cause) {
        return { error: cause };
      }
      thread.postMessage(invocation);
      return outcomeOf(invocation.requestId, invocation.timeoutMs);
    },
    isUsable: () => !cause,
    stop,
  };
}
