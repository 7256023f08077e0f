import { randomUUID } from 'node:crypto';
import { devNull } from 'node:os';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { functionArn, type Properties, region } from './template.ts';

/** A function as its template's resource describes it, with its code's folder. The name is its logical id. */
export type LambdaFunction = Properties['AWS::Lambda::Function'] & { FunctionName: string; folder: string };

export type FunctionError = { errorType: string; errorMessage: string };

/** What comes of an invocation: the result as JSON text, or the error that the function ended with (FunctionError, in Lambda's API). */
export type Outcome = { payload: string } | { error: FunctionError };

/** From and to a function's thread. */
export type Invocation = { event: string; requestId: string; functionArn: string; deadline: number };
export type Message =
  | { type: 'ready' }
  | { type: 'log'; line: string }
  | { type: 'result'; payload: string }
  | { type: 'error'; error: FunctionError };

export type Log = (functionName: string, line: string) => void;

export interface ExecutionEnvironment {
  /** Invokes the handler with an event as JSON text; one at a time. Never rejects. */
  invoke(event: string): Promise<Outcome>;
  /** Whether it can take another invocation. */
  readonly usable: boolean;
  stop(): Promise<unknown>;
}

/** Any credentials will do for a local engine. DynamoDB Local keeps a database for each access key and region. */
export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html and https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html */
const limits = { responseBytes: 6 * 1024 * 1024 + 100, initMs: 10_000, defaultTimeout: 3, defaultMemorySize: 128 };

/**
 * Starts one execution environment of a function: a thread of its own that loads the function's code and has its memory limit (of V8's heap; memory
 * outside it, such as buffers, is not counted) and nothing in `process.env` but what the template and Lambda set.
 */
export function startExecutionEnvironment(lambda: LambdaFunction, dynamodbEndpoint: string, log: Log): ExecutionEnvironment {
  const { FunctionName, folder, Handler: handler } = lambda;
  const timeout = lambda.Timeout ?? limits.defaultTimeout;
  const memorySize = lambda.MemorySize ?? limits.defaultMemorySize;
  const startedAt = performance.now();
  const thread = new Worker(new URL('./runtime.ts', import.meta.url), {
    env: variables(lambda, memorySize, dynamodbEndpoint),
    execArgv: [],
    name: FunctionName,
    resourceLimits: { maxOldGenerationSizeMb: memorySize },
    stderr: true,
    stdout: true,
    workerData: { folder, handler },
  });
  const print = (line: string) => log(FunctionName, line);
  for (const stream of [thread.stdout, thread.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => text.trimEnd().split('\n').forEach(print));

  let usable = true;
  let settle: ((outcome: Outcome | 'ready') => void) | undefined;
  const end = (error: FunctionError) => {
    usable = false;
    settle?.({ error });
    return thread.terminate();
  };
  thread.on('message', (message: Message) => {
    if (message.type === 'log') print(message.line);
    else if (message.type === 'ready') settle?.('ready');
    else if (message.type === 'error') settle?.({ error: message.error });
    else if (Buffer.byteLength(message.payload) <= limits.responseBytes) settle?.({ payload: message.payload });
    else end({ errorType: 'Function.ResponseSizeTooLarge', errorMessage: `Response payload size exceeded ${limits.responseBytes} bytes.` });
  });
  thread.on('error', (error: unknown) => {
    const { name = 'Error', message, code } = error as { name?: string; message?: string; code?: string };
    const errorType = code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'Runtime.OutOfMemory' : name;
    print(`${errorType}: ${message ?? String(error)}`);
    end({ errorType, errorMessage: message ?? String(error) });
  });
  thread.on('exit', (code) => end({ errorType: 'Runtime.ExitError', errorMessage: `Runtime exited with error: exit status ${code}` }));

  /** Waits for what the thread is asked to do, and ends the thread where that takes longer than it may. */
  const within = async (ms: number, error: FunctionError, ask?: () => void): Promise<Outcome | 'ready'> => {
    const { promise, resolve } = Promise.withResolvers<Outcome | 'ready'>();
    settle = resolve;
    const timer = setTimeout(end, ms, error);
    ask?.();
    const outcome = await promise;
    clearTimeout(timer);
    settle = undefined;
    return outcome;
  };

  let initDuration: number | undefined;
  const init = within(limits.initMs, { errorType: 'Sandbox.Timedout', errorMessage: 'INIT timed out' }).then((outcome) => {
    initDuration = performance.now() - startedAt;
    if (outcome !== 'ready') usable = false;
    return outcome;
  });

  async function invoke(event: string): Promise<Outcome> {
    const requestId = randomUUID();
    const initialized = await init;
    const platform = platformLog(lambda, requestId, memorySize, print);
    platform.start();
    const invokedAt = performance.now();
    let outcome = initialized;
    if (initialized === 'ready') {
      const timedOut = { errorType: 'Sandbox.Timedout', errorMessage: `${requestId} Task timed out after ${timeout.toFixed(2)} seconds` };
      const invocation: Invocation = { event, requestId, functionArn: functionArn(FunctionName), deadline: Date.now() + timeout * 1000 };
      outcome = await within(timeout * 1000, timedOut, () => thread.postMessage(invocation));
    } else {
      void thread.terminate();
    }
    const answer = outcome === 'ready' ? { error: { errorType: 'Runtime.Unknown', errorMessage: 'No outcome' } } : outcome;
    platform.report(performance.now() - invokedAt, initDuration, 'error' in answer ? answer.error.errorType : undefined);
    initDuration = undefined;
    return answer;
  }

  return {
    invoke,
    get usable() {
      return usable;
    },
    stop: () => thread.terminate(),
  };
}

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html */
function variables(lambda: LambdaFunction, memorySize: number, dynamodbEndpoint: string): Record<string, string> {
  const declared = lambda.Environment?.Variables ?? {};
  const { LogFormat = 'Text', LogGroup = `/aws/lambda/${lambda.FunctionName}`, ApplicationLogLevel = 'INFO' } = lambda.LoggingConfig ?? {};
  return {
    ...declared,
    // Declared and empty, it means Amazon's own: here that is the local engine.
    ...(declared.AWS_ENDPOINT_URL_DYNAMODB === '' && { AWS_ENDPOINT_URL_DYNAMODB: dynamodbEndpoint }),
    _HANDLER: lambda.Handler,
    AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
    // A profile of the developer's, read by the SDK, must not reach the functions.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_DEFAULT_REGION: region(),
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memorySize),
    AWS_LAMBDA_FUNCTION_NAME: lambda.FunctionName,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_FORMAT: LogFormat,
    ...(LogFormat === 'JSON' && { AWS_LAMBDA_LOG_LEVEL: ApplicationLogLevel }),
    AWS_LAMBDA_LOG_GROUP_NAME: LogGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_REGION: region(),
    LAMBDA_TASK_ROOT: lambda.folder,
    TZ: ':UTC',
  };
}

/** The lines that Lambda itself writes. https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html */
function platformLog(lambda: LambdaFunction, requestId: string, memorySizeMB: number, print: (line: string) => void) {
  const { LogFormat = 'Text', SystemLogLevel = 'INFO' } = lambda.LoggingConfig ?? {};
  const round = (ms: number) => Math.round(ms * 100) / 100;
  const event = (type: string, record: object) => {
    if (SystemLogLevel !== 'WARN') print(JSON.stringify({ time: new Date().toISOString(), type: `platform.${type}`, record }));
  };
  return {
    start: () =>
      LogFormat === 'JSON' ? event('start', { requestId, version: '$LATEST' }) : print(`START RequestId: ${requestId} Version: $LATEST`),
    report(duration: number, initDuration: number | undefined, errorType: string | undefined) {
      const status = errorType === undefined ? 'success' : errorType === 'Sandbox.Timedout' ? 'timeout' : 'error';
      const init = initDuration === undefined ? {} : { initDurationMs: round(initDuration) };
      const metrics = { durationMs: round(duration), billedDurationMs: Math.ceil(duration), memorySizeMB, ...init };
      if (LogFormat === 'JSON') return event('report', { requestId, metrics, status, ...(errorType && { errorType }) });
      print(`END RequestId: ${requestId}`);
      print(
        `REPORT RequestId: ${requestId}\tDuration: ${metrics.durationMs} ms\tBilled Duration: ${metrics.billedDurationMs} ms\tMemory Size: ${memorySizeMB} MB` +
          (initDuration === undefined ? '' : `\tInit Duration: ${round(initDuration)} ms`) +
          (errorType === undefined ? '' : `\tStatus: ${status}\tError Type: ${errorType}`),
      );
    },
  };
}
