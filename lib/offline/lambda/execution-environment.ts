import { randomUUID } from 'node:crypto';
import { devNull } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Properties } from '../template/properties.ts';
import { region } from '../template/resource-values.ts';
import type { Trace } from '../trace.ts';
import { type Outcome, startThread } from './function-thread.ts';
import { sourcePositions } from './source-positions.ts';

/**
 * A function as the template describes it, with the folder of its code. Its name is its logical id.
 */
export type LambdaFunction = Omit<Properties['AWS::Lambda::Function'], 'Role' | 'Runtime'> & {
  FunctionName: string;
  folder: string;
};

/** Gets a line that Lambda would log, with the trace of the request that it is about. */
export type Log = (functionName: string, line: string, traceId?: string) => void;

export type ExecutionEnvironment = ReturnType<typeof startExecutionEnvironment>;

/** Starts an execution environment of a function: a thread that loads the function's code. */
export function startExecutionEnvironment(lambda: LambdaFunction, endpoint: string, log: Log) {
  const { FunctionName, folder, Timeout = 3, MemorySize = 128 } = lambda;
  let traceId: string | undefined;
  const toSources = sourcePositions(folder);
  const print = (line: string) => log(FunctionName, toSources(line), traceId);
  const startedAt = performance.now();
  const env = variables(lambda, MemorySize, endpoint);
  const thread = startThread(FunctionName, env, MemorySize, print);
  let isStarted = false;
  let initDurationMs: number | undefined;
  void thread.init.then(() => {
    initDurationMs = performance.now() - startedAt;
    isStarted = true;
  });

  return {
    ...thread,
    /**
     * Invokes the handler with an event as JSON text, one after the other. Never rejects. Resolves
     * with undefined if the environment ended before the invocation began, or it was taken back.
     */
    async invoke(event: string, trace: Trace): Promise<Outcome | undefined> {
      traceId ??= trace.id;
      const requestId = randomUUID();
      const platform = platformLog(requestId, lambda, print);
      const isColdStart = !isStarted;
      let begunAt = 0;
      const invocation = { requestId, traceId: trace.id, event, timeoutMs: Timeout * 1000 };
      const outcome = await thread.invoke(invocation, () => {
        traceId = trace.id;
        platform.start();
        begunAt = performance.now();
      });
      if (!outcome) return undefined;
      platform.report(performance.now() - begunAt, initDurationMs, outcome.error?.errorType);
      trace.invocations += 1;
      trace.coldStarts += Number(isColdStart);
      [traceId, initDurationMs] = [undefined, undefined];
      return outcome;
    },
  };
}

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html */
function variables(lambda: LambdaFunction, memorySize: number, endpoint: string) {
  const declared: Record<string, string> = {};
  // The SDK sends requests for a queue to the host of its URL.
  const queueHost = /^https:\/\/sqs\.[\w-]+\.amazonaws\.com(?=\/)/;
  for (const [name, value] of Object.entries(lambda.Environment?.Variables ?? {}))
    declared[name] = `${value}`.replace(queueHost, endpoint);
  // If it is declared and empty, the SDK would call AWS, so that it becomes the local engine.
  if (declared.AWS_ENDPOINT_URL_DYNAMODB === '') declared.AWS_ENDPOINT_URL_DYNAMODB = endpoint;
  const {
    LogGroup = `/aws/lambda/${lambda.FunctionName}`,
    LogFormat = 'Text',
    ApplicationLogLevel = LogFormat === 'Text' ? 'TRACE' : 'INFO',
  } = lambda.LoggingConfig ?? {};
  return {
    // Where the database's front answers calls to all services. The path names the function.
    AWS_ENDPOINT_URL: `${endpoint}/${lambda.FunctionName}`,
    ...declared,
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
    AWS_LAMBDA_LOG_FORMAT: LogFormat,
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
function platformLog(
  requestId: string,
  { MemorySize = 128, LoggingConfig }: LambdaFunction,
  print: (line: string) => void,
) {
  const round = (ms: number) => Math.round(ms * 100) / 100;
  function write(type: string, more: object, ...text: string[]): void {
    const [time, record] = [new Date().toISOString(), { requestId, ...more }];
    print(
      LoggingConfig?.LogFormat === 'JSON'
        ? JSON.stringify({ time, type: `platform.${type}`, record })
        : [`${type.toUpperCase()} RequestId: ${requestId}`, ...text].join('\t'),
    );
  }
  return {
    start: () => write('start', { version: '$LATEST' }, 'Version: $LATEST'),
    report(durationMs: number, initDurationMs: number | undefined, errorType: string | undefined) {
      const failed = errorType === 'Sandbox.Timedout' ? 'timeout' : 'error';
      const status = errorType === undefined ? 'success' : failed;
      const metrics = {
        durationMs: round(durationMs),
        billedDurationMs: Math.ceil(durationMs),
        memorySizeMB: MemorySize,
        initDurationMs: initDurationMs && round(initDurationMs),
      };
      write(
        'report',
        { metrics, status, errorType },
        `Duration: ${metrics.durationMs} ms`,
        `Billed Duration: ${metrics.billedDurationMs} ms`,
        `Memory Size: ${MemorySize} MB`,
        `Status: ${status}`,
      );
    },
  };
}
