import { attempt } from '../template/intrinsics.ts';
import type { Trace } from '../trace.ts';
import {
  type ExecutionEnvironment,
  type LambdaFunction,
  type Log,
  startExecutionEnvironment,
} from './execution-environment.ts';
import type { FunctionError } from './function-thread.ts';

/** `result` is what `read` returned. Without it and an error, the response was malformed. */
type Result<T> = { result?: T | undefined; error?: FunctionError };

/** The error of an event that is larger than Lambda accepts. */
export const tooLarge: FunctionError = { errorType: 'RequestTooLargeException', errorMessage: '' };

export type FunctionPool = ReturnType<typeof functionPool>;

/**
 * How many invocations a new account may run at once, for all its functions, and of what size.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export const defaultConcurrency = 10;
const maxEventBytes = 6 * 1024 * 1024;

/**
 * Returns the execution environments of a function. Each takes one invocation at a time, is reused,
 * and is replaced after a failure. At most `concurrency` invocations run at once; more wait.
 */
export function functionPool(
  lambda: LambdaFunction,
  dynamodbEndpoint: string,
  log: Log,
  concurrency = defaultConcurrency,
) {
  const all = new Set<ExecutionEnvironment>();
  const idle: ExecutionEnvironment[] = [];
  const waiting: (() => void)[] = [];
  let inProgress = 0;
  let retired = false;

  const drop = (environment: ExecutionEnvironment) => {
    all.delete(environment);
    return environment.stop();
  };
  const start = () => {
    const environment = startExecutionEnvironment(lambda, dynamodbEndpoint, log);
    all.add(environment);
    return environment;
  };
  const take = () => {
    for (let environment = idle.pop(); environment; environment = idle.pop()) {
      if (environment.isUsable()) return environment;
      void drop(environment);
    }
    return start();
  };

  return {
    /**
     * Invokes the function. An environment whose response `read` rejects by throwing is not reused,
     * although Lambda would. Never rejects.
     */
    async invoke<T>(
      event: object,
      read: (payload: string) => T,
      trace?: Trace,
    ): Promise<Result<T>> {
      const payload = JSON.stringify(event);
      if (Buffer.byteLength(payload) > maxEventBytes) return { error: tooLarge };
      if (inProgress >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
      else inProgress += 1;
      const environment = take();
      const { payload: answer, error } = await environment.invoke(payload, trace);
      const result = answer === undefined ? undefined : attempt(() => read(answer));
      if (environment.isUsable() && !retired && (error ?? result)) idle.push(environment);
      else void drop(environment);
      // Give the slot to the next waiting invocation.
      const next = waiting.shift();
      if (next) next();
      else inProgress -= 1;
      return error ? { error } : { result };
    },
    prewarm: () => void idle.push(start()),
    /** Lets the invocations in progress finish, then ends, because another pool took over. */
    retire() {
      retired = true;
      for (const environment of idle.splice(0)) void drop(environment);
    },
    /** Ends at once. */
    stop() {
      retired = true;
      return Promise.all([...all].map(drop));
    },
  };
}
