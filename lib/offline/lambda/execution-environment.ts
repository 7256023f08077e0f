import { randomUUID } from 'node:crypto';
import { devNull } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Properties } from '../template/properties.ts';
import { region } from '../template/resource-values.ts';
import type { Trace } from '../trace.ts';
import { type Outcome, startThread } from './function-thread.ts';
import { sourcePositions } from './source-positions.ts';

/** A function as the template describes it. */
export interface LambdaFunction
  extends Omit<Properties['AWS::Lambda::Function'], 'Role' | 'Runtime'> {
  /** Its logical id. */
  FunctionName: string;
  /** The folder of its code. */
  folder: string;
  /** The time for INIT, if it is another than Lambda's. */
  initTimeoutMs?: number;
}

/** Gets a line that Lambda would log, with the trace of the request that it is about. */
export type Log = (functionName: string, line: string, traceId?: string) => void;

export interface ExecutionEnvironment {
  /** Invokes the handler with an event as JSON text, if it is idle. Never rejects. */
  invoke(event: string, trace: Trace): Promise<Outcome>;
  /** Returns whether it can take an invocation. Once it cannot, it never will again. */
  isUsable(): boolean;
  /** Ends it, with the invocation in progress. */
  stop(): Promise<void>;
}

/** Starts an execution environment of a function: a thread that loads the function's code. */
export function startExecutionEnvironment(
  lambda: LambdaFunction,
  endpoint: string,
  log: Log,
): ExecutionEnvironment {
  const { FunctionName, folder, Timeout = 3, MemorySize = 128 } = lambda;
  /** The request that the function works for. Undefined if INIT runs before a request waits. */
  let traceId: string | undefined;
  const toSources = sourcePositions(folder);
  const print = (line: string) => log(FunctionName, toSources(line), traceId);
  const startedAt = performance.now();
  const env = variables(lambda, MemorySize, endpoint);
  const thread = startThread(FunctionName, env, MemorySize, print, lambda.initTimeoutMs);
  let isStarted = false;
  /** How long INIT took. The first invocation reports it. */
  let initDurationMs: number | undefined;
  void thread.init.then(() => {
    initDurationMs = performance.now() - startedAt;
    isStarted = true;
  });

  return {
    async invoke(event, trace) {
      const requestId = randomUUID();
      const platform = platformLog(requestId, lambda, print);
      const isColdStart = !isStarted;
      traceId = trace.id;
      await thread.init;
      platform.start();
      const begunAt = performance.now();
      const timeoutMs = Timeout * 1000;
      const outcome = await thread.invoke({ requestId, traceId: trace.id, event, timeoutMs });
      const durationMs = performance.now() - begunAt;
      platform.report(durationMs, initDurationMs, outcome.error?.errorType);
      initDurationMs = undefined;
      traceId = undefined;
      trace.invocations += 1;
      trace.coldStarts += isColdStart ? 1 : 0;
      return outcome;
    },
    isUsable: thread.isUsable,
    stop: thread.stop,
  };
}

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html */
function variables(
  lambda: LambdaFunction,
  memorySize: number,
  endpoint: string,
): Record<string, string> {
  const declared: Record<string, string> = {};
  // The SDK sends requests for a queue to the host of its URL.
  const queueHost = /^https:\/\/sqs\.[\w-]+\.amazonaws\.com(?=\/)/;
  for (const [name, value] of Object.entries(lambda.Environment?.Variables ?? {})) {
    declared[name] = `${value}`.replace(queueHost, endpoint);
  }
  // With an empty one, which `sam local` can fill, the SDK would call AWS.
  if (declared.AWS_ENDPOINT_URL_DYNAMODB === '') {
    declared.AWS_ENDPOINT_URL_DYNAMODB = endpoint;
  }
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

/** The lines that Lambda itself writes about an invocation. */
interface PlatformLog {
  start(): void;
  report(
    durationMs: number,
    initDurationMs: number | undefined,
    errorType: string | undefined,
  ): void;
}

/**
 * Writes the lines in the function's format.
 * https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html
 */
function platformLog(
  requestId: string,
  { MemorySize = 128, LoggingConfig }: LambdaFunction,
  print: (line: string) => void,
): PlatformLog {
  const isJson = LoggingConfig?.LogFormat === 'JSON';

  function printJson(type: string, record: object): void {
    const time = new Date().toISOString();
    print(JSON.stringify({ time, type, record: { requestId, ...record } }));
  }
  function printText(type: string, ...more: string[]): void {
    print([`${type} RequestId: ${requestId}`, ...more].join('\t'));
  }

  return {
    start() {
      if (isJson) {
        printJson('platform.start', { version: '$LATEST' });
      } else {
        printText('START', 'Version: $LATEST');
      }
    },
    report(durationMs, initDurationMs, errorType) {
      const metrics = {
        durationMs: round(durationMs),
        billedDurationMs: Math.ceil(durationMs + (initDurationMs ?? 0)),
        memorySizeMB: MemorySize,
        initDurationMs: initDurationMs && round(initDurationMs),
      };
      const status = statusOf(errorType);
      if (isJson) {
        // At the level INFO, Lambda tells of the runtime only if it failed.
        if (status !== 'success') {
          const runtimeMetrics = { durationMs: metrics.durationMs, producedBytes: 0 };
          printJson('platform.runtimeDone', { status, metrics: runtimeMetrics, errorType });
        }
        printJson('platform.report', { metrics, status, errorType });
      } else {
        printText(
          'REPORT',
          `Duration: ${metrics.durationMs} ms`,
          `Billed Duration: ${metrics.billedDurationMs} ms`,
          `Memory Size: ${MemorySize} MB`,
          `Status: ${status}`,
        );
      }
    },
  };
}

function statusOf(errorType: string | undefined): string {
  if (errorType === undefined) {
    return 'success';
  }
  return errorType === 'Sandbox.Timedout' ? 'timeout' : 'error';
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
