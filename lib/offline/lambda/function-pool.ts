import type { Trace } from '../trace.ts';
import {
  type ExecutionEnvironment,
  type LambdaFunction,
  type Log,
  startExecutionEnvironment,
} from './execution-environment.ts';
import type { FunctionError, Outcome } from './function-thread.ts';

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
 * Returns the execution environments of a function. Each runs one invocation at a time, is reused,
 * and is replaced if it ends. At most `concurrency` invocations run at once. An environment has its
 * next invocation before it answers, so that its thread need not wait. That one is taken back if
 * another environment is idle before it begins. All others wait here.
 */
export function functionPool(
  lambda: LambdaFunction,
  dynamodbEndpoint: string,
  log: Log,
  concurrency = defaultConcurrency,
) {
  /** The environments, with how many invocations each has got. */
  const environments = new Map<ExecutionEnvironment, number>();
  const waiting: (() => void)[] = [];
  let retired = false;

  const drop = (environment: ExecutionEnvironment) => {
    environments.delete(environment);
    return environment.stop();
  };
  const start = () => {
    const environment = startExecutionEnvironment(lambda, dynamodbEndpoint, log);
    environments.set(environment, 0);
    return environment;
  };
  /** Returns the environment that the next invocation is for, or undefined if it must wait. */
  function take(): ExecutionEnvironment | undefined {
    for (const environment of environments.keys())
      if (!environment.isUsable()) void drop(environment);
    const all = [...environments.keys()];
    const idle = all.find((environment) => environments.get(environment) === 0);
    if (idle || environments.size < concurrency) return idle ?? start();
    return all.find((environment) => environments.get(environment) === 1 && !environment.isLong());
  }

  return {
    /** Invokes the function. Never rejects. */
    async invoke(event: object, trace: Trace): Promise<Outcome> {
      const payload = JSON.stringify(event);
      if (Buffer.byteLength(payload) > maxEventBytes) return { error: tooLarge };
      for (;;) {
        let environment = take();
        for (; !environment; environment = take())
          await new Promise<void>((resolve) => waiting.push(resolve));
        environments.set(environment, (environments.get(environment) ?? 0) + 1);
        const outcome = await environment.invoke(payload, trace);
        const left = (environments.get(environment) ?? 0) - 1;
        if (left > 0 || (left === 0 && !retired)) environments.set(environment, left);
        else void drop(environment);
        const next = waiting.shift();
        if (next) next();
        else if (left === 0)
          [...environments].some(([other, count]) => count === 2 && other.takeBack());
        if (outcome) return outcome;
      }
    },
    prewarm: () => void start(),
    /** Lets the invocations in progress finish, then ends, because another pool took over. */
    retire() {
      retired = true;
      for (const [environment, count] of environments) if (count === 0) void drop(environment);
    },
    /** Ends at once. */
    stop: () => Promise.all([...environments.keys()].map(drop)),
  };
}
