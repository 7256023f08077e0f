import { devNull } from 'node:os';
import { Worker } from 'node:worker_threads';
import { environment, tableVariable } from '../../functions/shared/environment-variables.ts';
import { type TableName, tableIds } from '../../functions/shared/table-schema.ts';
import { timeouts } from '../../functions/shared/timeouts.ts';
import { localRegion } from './database-client.ts';
import type { Call, Outcome } from './functions-thread.ts';

/** Calls a function by the name of its file. Never rejects: an outcome can be a failure. */
export type CallFunction = (entry: string, event: object) => Promise<Outcome>;

export interface Functions {
  call: CallFunction;
  /** Resolves once the functions' code is loaded. Rejects if it cannot be loaded. */
  loaded: Promise<void>;
  /** Loads the functions' code anew. Calls in progress fail, and later ones wait for it. */
  reload(): void;
  stop(): Promise<void>;
}

interface Options {
  variables: Record<string, string>;
  /** After how many milliseconds a function is stopped. */
  timeoutMs?: number | undefined;
  /** Gets what the functions print. */
  onOutput(text: string): void;
  /** Gets an error that ended the thread, one of loading the code included. */
  onFault(error: Error): void;
}

/** The longest time that Node's timers take, for functions that a debugger pauses. */
export const noTimeout = 2 ** 31 - 1;

/** Keeps the SDK away from the developer's AWS accounts. */
export const withoutAwsFiles = { AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull };

/** Returns the environment variables that the functions have on AWS, and no other of this process. */
export function functionVariables(
  dynamodbEndpoint: string,
  corsOrigin?: string,
): Record<string, string> {
  const variables: Record<string, string> = {
    ...withoutAwsFiles,
    AWS_REGION: localRegion,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    TZ: 'UTC',
    [environment.dynamodbEndpoint]: dynamodbEndpoint,
  };
  for (const name of Object.keys(tableIds) as TableName[]) {
    variables[tableVariable(name)] = tableIds[name];
  }
  if (corsOrigin !== undefined) {
    variables[environment.corsOrigin] = corsOrigin;
  }
  // Without it, a debugger that an editor started would pause each new thread.
  // https://github.com/nodejs/node/issues/38934
  if (process.env.NODE_OPTIONS !== undefined) {
    variables.NODE_OPTIONS = process.env.NODE_OPTIONS;
  }
  return variables;
}

/**
 * Runs the functions in a thread of their own. If a fault, an exit or an endless loop of theirs
 * ends it, the calls in progress fail, and the next call starts it anew.
 */
export function startFunctions(options: Options): Functions {
  const { variables, timeoutMs = timeouts.function, onOutput, onFault } = options;
  const waiting = new Map<number, (outcome: Outcome) => void>();
  let lastId = 0;
  let thread: Thread | undefined = start();

  function start(): Thread {
    const worker = new Worker(new URL('functions-thread.ts', import.meta.url), {
      name: 'functions',
      env: variables,
      stdout: true,
      stderr: true,
    });
    const loaded = Promise.withResolvers<void>();
    // Nobody may wait for it.
    loaded.promise.catch(() => {});
    for (const stream of [worker.stdout, worker.stderr]) {
      stream.setEncoding('utf8').on('data', onOutput);
    }
    worker.on('message', (message: 'loaded' | Outcome) => {
      if (message === 'loaded') {
        loaded.resolve();
      } else {
        waiting.get(message.id)?.(message);
      }
    });
    worker.on('error', onFault);
    worker.on('exit', () => {
      loaded.reject(new Error('The functions ended before they were loaded.'));
      if (thread?.worker === worker) {
        thread = undefined;
        failAll('The functions ended before they answered.');
      }
    });
    return { worker, loaded: loaded.promise };
  }

  async function end(why: string): Promise<void> {
    const ended = thread;
    thread = undefined;
    failAll(why);
    await ended?.worker.terminate();
  }

  function failAll(message: string): void {
    for (const [id, settle] of waiting) {
      settle({ id, failure: { message, stack: message }, log: [] });
    }
  }

  async function call(entry: string, event: object): Promise<Outcome> {
    lastId += 1;
    const id = lastId;
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    waiting.set(id, resolve);
    thread ??= start();
    thread.worker.postMessage({ id, entry, event, timeoutMs } satisfies Call);
    // The time that the code takes to load does not count, as on AWS.
    let timer: NodeJS.Timeout | undefined;
    const startTimer = (): void => {
      const why = `${entry} did not answer within ${timeoutMs / 1000} s.`;
      timer = setTimeout(() => void end(why), timeoutMs);
    };
    thread.loaded.then(startTimer, () => {});
    const outcome = await promise;
    clearTimeout(timer);
    waiting.delete(id);
    return outcome;
  }

  function reload(): void {
    void end('The functions were loaded anew.');
    thread = start();
  }

  return {
    call,
    loaded: thread.loaded,
    reload,
    stop: () => end('The functions were stopped.'),
  };
}

interface Thread {
  worker: Worker;
  /** Resolves once the functions' code is loaded. Rejects if it cannot be loaded. */
  loaded: Promise<void>;
}
