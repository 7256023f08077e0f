import {
  type ExecutionEnvironment,
  type LambdaFunction,
  type Log,
  type Outcome,
  startExecutionEnvironment,
} from './execution-environment.ts';

export interface FunctionPool {
  /**
   * Invokes the function, unless the event is larger than Lambda takes. An environment that returned what is no response is not used again,
   * though Lambda would. Never rejects.
   */
  invoke(
    event: object,
    isResponse?: (payload: string) => boolean,
  ): Promise<Outcome | 'RequestTooLarge'>;
  /** Lets what is under way finish, then ends: another pool has taken over. */
  retire(): void;
  /** Ends at once. */
  stop(): Promise<void>;
}

/** As many invocations at once as a new account has for all its functions; more wait. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const concurrency = 10;

/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const maxEventBytes = 6 * 1024 * 1024;

/** The execution environments of a function: each takes one invocation at a time, is used again, and is replaced once it has failed. */
export function functionPool(
  lambda: LambdaFunction,
  dynamodbEndpoint: string,
  log: Log,
): FunctionPool {
  const all = new Set<ExecutionEnvironment>();
  const idle: ExecutionEnvironment[] = [];
  const waiting: (() => void)[] = [];
  let underWay = 0;
  let retired = false;

  const drop = (environment: ExecutionEnvironment) => {
    all.delete(environment);
    return environment.stop();
  };
  const take = () => {
    let environment = idle.pop();
    while (environment && !environment.isUsable()) {
      void drop(environment);
      environment = idle.pop();
    }
    if (!environment) {
      environment = startExecutionEnvironment(lambda, dynamodbEndpoint, log);
      all.add(environment);
    }
    return environment;
  };

  return {
    async invoke(event, isResponse = () => true) {
      const payload = JSON.stringify(event);
      if (Buffer.byteLength(payload) > maxEventBytes) return 'RequestTooLarge';
      if (underWay >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
      else underWay += 1;
      const environment = take();
      const outcome = await environment.invoke(payload);
      const isMalformed = 'payload' in outcome && !isResponse(outcome.payload);
      if (environment.isUsable() && !retired && !isMalformed) idle.push(environment);
      else void drop(environment);
      // Whoever waits takes over the place.
      const next = waiting.shift();
      if (next) next();
      else underWay -= 1;
      return outcome;
    },
    retire() {
      retired = true;
      for (const environment of idle.splice(0)) void drop(environment);
    },
    async stop() {
      retired = true;
      await Promise.all([...all].map(drop));
    },
  };
}
