import type { Trace } from '../trace.ts';
import {
  type ExecutionEnvironment,
  type LambdaFunction,
  type Log,
  startExecutionEnvironment,
} from './execution-environment.ts';
import { type FunctionError, type Outcome, stopped } from './function-thread.ts';

/** The error of an event that is larger than Lambda accepts. */
export const tooLarge: FunctionError = { errorType: 'RequestTooLargeException', errorMessage: '' };

/**
 * How many invocations a new account may run at once, for all its functions, and of what size.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const defaultConcurrency = 10;
const maxEventBytes = 6 * 1024 * 1024;

export interface FunctionPool {
  /** Invokes the function. Never rejects. */
  invoke(event: object, trace: Trace): Promise<Outcome>;
  /** Starts an environment before an invocation needs it. */
  prewarm(): void;
  /** Finishes the invocations that have arrived, then ends, because another pool took over. */
  retire(): void;
  /** Ends at once. */
  stop(): Promise<void>;
}

/**
 * Returns the execution environments of a function. Each runs one invocation at a time, is reused,
 * and is replaced if it ends. At most `concurrency` invocations run at once. The others wait.
 */
export function functionPool(
  lambda: LambdaFunction,
  dynamodbEndpoint: string,
  log: Log,
  concurrency = defaultConcurrency,
): FunctionPool {
  const idle: ExecutionEnvironment[] = [];
  const busy = new Set<ExecutionEnvironment>();
  /** The invocations that wait, in the order in which they arrived. */
  const waiting: ((environment: ExecutionEnvironment | undefined) => void)[] = [];
  let isRetired = false;
  let isStopped = false;

  function start(): ExecutionEnvironment {
    return startExecutionEnvironment(lambda, dynamodbEndpoint, log);
  }

  /** Returns an idle environment, unless all have ended meanwhile. */
  function takeIdle(): ExecutionEnvironment | undefined {
    let environment = idle.pop();
    while (environment && !environment.isUsable()) {
      environment = idle.pop();
    }
    return environment;
  }

  /** Gives those that wait an idle environment or a new one, until as many are busy as may be. */
  function serveWaiting(): void {
    while (busy.size < concurrency) {
      const next = waiting.shift();
      if (!next) {
        return;
      }
      const environment = takeIdle() ?? start();
      busy.add(environment);
      next(environment);
    }
  }

  /** Waits for an environment. Resolves with undefined if the pool ends before. */
  function acquire(): Promise<ExecutionEnvironment | undefined> {
    const { promise, resolve } = Promise.withResolvers<ExecutionEnvironment | undefined>();
    waiting.push(resolve);
    serveWaiting();
    return promise;
  }

  /** Makes room for those that wait, also if the environment has ended. */
  function release(environment: ExecutionEnvironment): void {
    busy.delete(environment);
    if (environment.isUsable()) {
      idle.push(environment);
    }
    serveWaiting();
    if (isRetired) {
      void stopIdle();
    }
  }

  async function stopIdle(): Promise<void> {
    await Promise.all(idle.splice(0).map((environment) => environment.stop()));
  }

  return {
    async invoke(event, trace) {
      const payload = JSON.stringify(event);
      if (Buffer.byteLength(payload) > maxEventBytes) {
        return { error: tooLarge };
      }
      const environment = isStopped ? undefined : await acquire();
      if (!environment) {
        return { error: stopped };
      }
      const outcome = await environment.invoke(payload, trace);
      release(environment);
      return outcome;
    },

    prewarm() {
      idle.push(start());
    },

    retire() {
      isRetired = true;
      void stopIdle();
    },

    async stop() {
      isStopped = true;
      for (const next of waiting.splice(0)) {
        next(undefined);
      }
      await Promise.all([stopIdle(), ...[...busy].map((environment) => environment.stop())]);
    },
  };
}
