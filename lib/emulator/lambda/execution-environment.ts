import { randomUUID } from 'node:crypto';
import { devNull } from 'node:os';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { functionArn, region } from '../template/intrinsics.ts';
import type { Properties } from '../template/template.ts';
import type { Trace } from '../trace.ts';

/**
 * A function as the template describes it, with the folder of its code. Its name is its logical id.
 */
export type LambdaFunction = Omit<Properties['AWS::Lambda::Function'], 'Role'> & {
  FunctionName: string;
  folder: string;
};

export type FunctionError = { errorType: string; errorMessage: string };

/** The outcome of an invocation: the result as JSON text, or the error that ended the function. */
export type Outcome = { payload: string } | { error: FunctionError };

/** Messages to and from a function's thread. */
export type Setup = { folder: string; handler: string; functionArn: string };
export type Invocation = {
  requestId: string;
  traceId: string | undefined;
  event: string;
  deadline: number;
};
export type Message =
  | { type: 'log'; line: string }
  | { type: 'outcome'; of: string; outcome: Outcome };

/** Gets a line that Lambda would log, with the trace of the request that it is about. */
export type Log = (functionName: string, line: string, traceId?: string) => void;

export interface ExecutionEnvironment {
  /** Invokes the handler with an event as JSON text, one at a time. Never rejects. */
  invoke(event: string, trace?: Trace): Promise<Outcome>;
  /** Whether it can take another invocation. */
  isUsable(): boolean;
  stop(): Promise<unknown>;
}

/**
 * 6 MB, and 100 bytes that are not documented.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const maxResponseBytes = 6 * 1024 * 1024 + 100;

/** https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html */
const maxInitSeconds = 10;

/**
 * Starts an execution environment of a function: a thread that loads the function's code. It has
 * the function's memory limit, which counts V8's heap but no buffers. Its `process.env` has only
 * the variables that the template and Lambda set.
 */
export function startExecutionEnvironment(
  lambda: LambdaFunction,
  dynamodbEndpoint: string,
  log: Log,
): ExecutionEnvironment {
  const { FunctionName, folder, Handler: handler, Timeout = 3, MemorySize = 128 } = lambda;
  const startedAt = performance.now();
  const setup: Setup = { folder, handler, functionArn: functionArn(FunctionName) };
  const thread = new Worker(new URL('./runtime.ts', import.meta.url), {
    env: variables(lambda, MemorySize, dynamodbEndpoint),
    // If a bundle has source maps, stacks point to its sources.
    execArgv: ['--enable-source-maps'],
    name: FunctionName,
    // A large young generation could exceed the limit at once, which ends the process, not the
    // thread.
    resourceLimits: { maxOldGenerationSizeMb: MemorySize, maxYoungGenerationSizeMb: 8 },
    stderr: true,
    stdout: true,
    workerData: setup,
  });
  let traceId: string | undefined;
  const print = (line: string) => log(FunctionName, line, traceId);
  for (const stream of [thread.stdout, thread.stderr])
    stream
      .setEncoding('utf8')
      .on('data', (text: string) => text.trimEnd().split('\n').forEach(print));

  let usable = true;
  let awaited: { id: string; resolve: (outcome: Outcome) => void } | undefined;
  const end = (errorType: string, errorMessage: string) => {
    if (usable) print(`${errorType}: ${errorMessage}`);
    usable = false;
    awaited?.resolve({ error: { errorType, errorMessage } });
    return thread.terminate();
  };
  // A function can send messages too, so check every part.
  thread.on('message', (message: Message | undefined) => {
    if (message?.type === 'log') print(String(message.line));
    if (message?.type !== 'outcome' || message.of !== awaited?.id) return;
    const { payload, error } = Object(message.outcome) as {
      payload?: unknown;
      error?: Partial<FunctionError>;
    };
    if (typeof payload !== 'string') {
      awaited.resolve({
        error: { errorType: String(error?.errorType), errorMessage: String(error?.errorMessage) },
      });
    } else if (Buffer.byteLength(payload) > maxResponseBytes) {
      end(
        'Function.ResponseSizeTooLarge',
        `Response payload size exceeded maximum allowed payload size (${maxResponseBytes} bytes).`,
      );
    } else {
      awaited.resolve({ payload });
    }
  });
  thread.on('error', (error: NodeJS.ErrnoException) =>
    end(
      error?.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? 'Runtime.OutOfMemory'
        : (error?.name ?? typeof error),
      String(error?.message ?? error),
    ),
  );
  thread.on('exit', (code) =>
    end('Runtime.ExitError', `Runtime exited with error: exit status ${code}`),
  );

  /** Waits for the outcome of a task, and ends the thread if the task takes too long. */
  async function outcomeOf(id: string, seconds: number, ask?: () => void): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    awaited = { id, resolve };
    const timer = setTimeout(
      end,
      seconds * 1000,
      'Sandbox.Timedout',
      `${id} Task timed out after ${seconds.toFixed(2)} seconds`,
    );
    ask?.();
    const outcome = await promise;
    clearTimeout(timer);
    awaited = undefined;
    return outcome;
  }

  let isStarted = false;
  let initDurationMs: number | undefined;
  const init = outcomeOf('INIT', maxInitSeconds).then((outcome) => {
    initDurationMs = performance.now() - startedAt;
    isStarted = true;
    return outcome;
  });

  async function invoke(event: string, trace?: Trace): Promise<Outcome> {
    traceId = trace?.id;
    const requestId = randomUUID();
    const platform = platformLog(requestId, MemorySize, print);
    const isColdStart = !isStarted;
    let outcome = await init;
    platform.start();
    const invokedAt = performance.now();
    if ('error' in outcome) usable = false;
    else {
      const deadline = Date.now() + Timeout * 1000;
      const invocation: Invocation = { requestId, traceId, event, deadline };
      outcome = await outcomeOf(requestId, Timeout, () => thread.postMessage(invocation));
    }
    const durationMs = performance.now() - invokedAt;
    const errorType = 'error' in outcome ? outcome.error.errorType : undefined;
    platform.report(durationMs, initDurationMs, errorType);
    trace?.invocations.push({ functionName: FunctionName, durationMs, isColdStart });
    [traceId, initDurationMs] = [undefined, undefined];
    return outcome;
  }

  function stop(): Promise<unknown> {
    usable = false;
    return thread.terminate();
  }

  return { invoke, isUsable: () => usable, stop };
}

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html */
function variables(
  lambda: LambdaFunction,
  memorySize: number,
  dynamodbEndpoint: string,
): Record<string, string> {
  const declared = lambda.Environment?.Variables ?? {};
  const { LogGroup = `/aws/lambda/${lambda.FunctionName}`, ApplicationLogLevel = 'INFO' } =
    lambda.LoggingConfig ?? {};
  return {
    ...declared,
    // If it is declared and empty, the SDK would call AWS, so that it becomes the local engine.
    ...(declared.AWS_ENDPOINT_URL_DYNAMODB === '' && {
      AWS_ENDPOINT_URL_DYNAMODB: dynamodbEndpoint,
    }),
    _HANDLER: lambda.Handler,
    // By this key the database's front knows the function, and enforces its role.
    AWS_ACCESS_KEY_ID: lambda.FunctionName,
    AWS_SECRET_ACCESS_KEY: 'local',
    // Otherwise the SDK would read the developer's own profile.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_DEFAULT_REGION: region(),
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memorySize),
    AWS_LAMBDA_FUNCTION_NAME: lambda.FunctionName,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_FORMAT: 'JSON',
    AWS_LAMBDA_LOG_LEVEL: ApplicationLogLevel,
    AWS_LAMBDA_LOG_GROUP_NAME: LogGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_REGION: region(),
    LAMBDA_TASK_ROOT: lambda.folder,
    TZ: ':UTC',
  };
}

/**
 * Writes the lines that Lambda itself writes.
 * https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html
 */
function platformLog(requestId: string, memorySizeMB: number, print: (line: string) => void) {
  const round = (ms: number) => Math.round(ms * 100) / 100;
  const event = (type: string, record: object) =>
    print(JSON.stringify({ time: new Date().toISOString(), type: `platform.${type}`, record }));
  return {
    start: () => event('start', { requestId, version: '$LATEST' }),
    report(durationMs: number, initDurationMs: number | undefined, errorType: string | undefined) {
      const isTimeout = errorType === 'Sandbox.Timedout';
      event('report', {
        requestId,
        metrics: {
          durationMs: round(durationMs),
          billedDurationMs: Math.ceil(durationMs),
          memorySizeMB,
          ...(initDurationMs !== undefined && { initDurationMs: round(initDurationMs) }),
        },
        status: errorType === undefined ? 'success' : isTimeout ? 'timeout' : 'error',
        ...(errorType !== undefined && { errorType }),
      });
    },
  };
}
