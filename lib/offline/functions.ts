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
  const loaded = Promise.withResolvers<void>();
  // A caller may not wait for it.
  loaded.promise.catch(() => {});
  let lastId = 0;
  let worker: Worker | undefined = start();

  function start(): Worker {
    const started = new Worker(new URL('functions-thread.ts', import.meta.url), {
      name: 'functions',
      env: variables,
      stdout: true,
      stderr: true,
    });
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8').on('data', onOutput);
    }
    started.on('message', (message: 'loaded' | Outcome) => {
      if (message === 'loaded') {
        loaded.resolve();
      } else {
        waiting.get(message.id)?.(message);
      }
    });
    started.on('error', (error: Error) => {
      onFault(error);
      loaded.reject(error);
    });
    started.on('exit', () => {
      if (worker === started) {
        worker = undefined;
        failAll('The functions ended before they answered.');
      }
    });
    return started;
  }

  async function end(why: string): Promise<void> {
    const ended = worker;
    worker = undefined;
    failAll(why);
    await ended?.terminate();
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
    const timer = setTimeout(
      () => void end(`${entry} did not answer within ${timeoutMs / 1000} s.`),
      timeoutMs,
    );
    worker ??= start();
    worker.postMessage({ id, entry, event, timeoutMs } satisfies Call);
    const outcome = await promise;
    clearTimeout(timer);
    waiting.delete(id);
    return outcome;
  }

  function reload(): void {
    void end('The functions were loaded anew.');
    worker = start();
  }

  return { call, loaded: loaded.promise, reload, stop: () => end('The functions were stopped.') };
}
