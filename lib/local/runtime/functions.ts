import { Worker } from 'node:worker_threads';
import { environment, tableVariable } from '../../../functions/shared/environment-variables.ts';
import { type TableName, tableIds } from '../../../functions/shared/table-schema.ts';
import { timeouts } from '../../../functions/shared/timeouts.ts';
import { localCredentials, localRegion, withoutAwsFiles } from '../away-from-aws.ts';
import type { CallResult, Failure, FunctionCall, LoggedLine, ThreadMessage } from './messages.ts';

/** The outcome of a call: the result as JSON, or a failure. */
export interface Outcome {
  payload?: string | undefined;
  failure?: Failure | undefined;
  /** The lines with a code that the function logged, as JSON. */
  log: string[];
}

/** Calls a function by the name of its file. Never rejects: an outcome can be a failure. */
export type CallFunction = (entry: string, event: object) => Promise<Outcome>;

export interface Functions {
  call: CallFunction;
  /** Resolves once the functions' code is loaded. Rejects if it cannot be loaded. */
  loaded: Promise<void>;
  /** Loads the functions' code again. Calls in progress fail, and later ones wait for the code. */
  reload(): void;
  stop(): Promise<void>;
}

interface Options {
  variables: Record<string, string>;
  /** A function's timeout in milliseconds. */
  timeoutMs?: number | undefined;
  /** Gets the functions' output. */
  onOutput(text: string): void;
  /** Gets an error that stopped the thread, including errors while loading the code. */
  onError(error: Error): void;
}

/** The maximum delay of Node's timers, for functions that a debugger pauses. */
export const noTimeout = 2 ** 31 - 1;

/** Returns the functions' environment variables on AWS, and of this process NODE_OPTIONS only. */
export function functionVariables(
  dynamodbEndpoint: string,
  corsOrigin?: string,
): Record<string, string> {
  const variables: Record<string, string> = {
    ...withoutAwsFiles,
    AWS_REGION: localRegion,
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    TZ: 'UTC',
    [environment.dynamodbEndpoint]: dynamodbEndpoint,
  };
  for (const name of Object.keys(tableIds) as TableName[]) {
    variables[tableVariable(name)] = tableIds[name];
  }
  if (corsOrigin !== undefined) {
    variables[environment.corsOrigin] = corsOrigin;
  }
  // Without NODE_OPTIONS, a debugger that an editor started would pause each new thread.
  // https://github.com/nodejs/node/issues/38934
  if (process.env.NODE_OPTIONS !== undefined) {
    variables.NODE_OPTIONS = process.env.NODE_OPTIONS;
  }
  return variables;
}

/**
 * Runs the functions in a worker thread. If an error, an exit or an endless loop of a function
 * stops the thread, the calls in progress fail, and the next call starts another thread.
 */
export function startFunctions(options: Options): Functions {
  const { variables, timeoutMs = timeouts.function, onOutput, onError } = options;
  const waiting = new Map<number, WaitingCall>();
  let lastId = 0;
  let thread: Thread | undefined = start();

  function start(): Thread {
    const worker = new Worker(new URL('functions-thread.ts', import.meta.url), {
      name: 'functions',
      // Cached code loads in less than half the time. Without a folder, Node caches nothing.
      env: { ...variables, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' },
      stdout: true,
      stderr: true,
    });
    const loaded = Promise.withResolvers<void>();
    // Avoids an unhandled rejection if nothing awaits this.
    loaded.promise.catch(() => {});
    for (const stream of [worker.stdout, worker.stderr]) {
      stream.setEncoding('utf8').on('data', onOutput);
    }
    worker.on('message', (message: ThreadMessage) => {
      if (message === 'loaded') {
        loaded.resolve();
      } else if ('line' in message) {
        keepLine(message);
      } else {
        waiting.get(message.id)?.settle(message);
      }
    });
    worker.on('error', onError);
    worker.on('exit', () => {
      loaded.reject(new Error('The functions stopped before they were loaded.'));
      if (thread?.worker === worker) {
        thread = undefined;
        failAll('The functions stopped before they returned.');
      }
    });
    return { worker, loaded: loaded.promise };
  }

  function keepLine({ id, line }: LoggedLine): void {
    const log = waiting.get(id)?.log;
    if (log) {
      log.push(line);
    } else {
      // The function has returned already.
      onOutput(line);
    }
  }

  async function stop(reason: string): Promise<void> {
    const stopped = thread;
    thread = undefined;
    failAll(reason);
    await stopped?.worker.terminate();
  }

  function failAll(message: string): void {
    for (const [id, { settle }] of waiting) {
      settle({ id, failure: { message, stack: message } });
    }
  }

  async function call(entry: string, event: object): Promise<Outcome> {
    lastId += 1;
    const id = lastId;
    const { promise, resolve: settle } = Promise.withResolvers<CallResult>();
    const waitingCall: WaitingCall = { entry, log: [], settle };
    waiting.set(id, waitingCall);
    thread ??= start();
    thread.worker.postMessage({ id, entry, event, timeoutMs } satisfies FunctionCall);
    // As on AWS, the timeout starts once the code is loaded.
    thread.loaded.then(
      () => startTimer(id),
      () => {},
    );
    const { payload, failure } = await promise;
    waiting.delete(id);
    clearTimeout(waitingCall.timer);
    return { payload, failure, log: waitingCall.log };
  }

  function startTimer(id: number): void {
    const waitingCall = waiting.get(id);
    // The call may have failed while the code was loading.
    if (waitingCall) {
      const reason = `${waitingCall.entry} did not return within ${timeoutMs / 1000} s.`;
      waitingCall.timer = setTimeout(() => void stop(reason), timeoutMs);
    }
  }

  function reload(): void {
    void stop('The functions were reloaded.');
    thread = start();
  }

  return {
    call,
    loaded: thread.loaded,
    reload,
    stop: () => stop('The functions were stopped.'),
  };
}

interface WaitingCall {
  entry: string;
  log: string[];
  timer?: NodeJS.Timeout;
  settle(result: CallResult): void;
}

interface Thread {
  worker: Worker;
  /** Resolves once the functions' code is loaded. Rejects if it cannot be loaded. */
  loaded: Promise<void>;
}
