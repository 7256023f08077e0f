import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import type { FunctionError, Invocation, Message } from './execution-environment.ts';

/**
 * What runs inside a function's thread: Lambda's runtime for Node. It loads the handler (INIT), says that it is ready, then invokes it with one
 * event after the other. https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
 */
const port = parentPort ?? fail('This file runs in a thread of its own.');
const { folder, handler: handlerString }: { folder: string; handler: string } = workerData;
const say = (message: Message) => port.postMessage(message);

let requestId: string | undefined;

type Handler = (event: unknown, context: object) => unknown;

async function load(): Promise<Handler> {
  const [file = '', name = ''] = handlerString.split('.');
  const path = ['.js', '.mjs', '.cjs'].map((extension) => join(folder, file + extension)).find(existsSync);
  if (!path) fail(`Cannot find module '${file}'`, 'Runtime.ImportModuleError');
  const exports = await import(pathToFileURL(path).href);
  const handler = exports[name] ?? exports.default?.[name];
  if (typeof handler !== 'function') fail(`${handlerString} is not a function`, 'Runtime.HandlerNotFound');
  // https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html
  if (handler.length >= 3)
    fail('Lambda does not support callback-based function handlers as of Node.js 24.', 'Runtime.CallbackHandlerDeprecated');
  return handler;
}

async function invoke(handler: Handler, { event, deadline, ...invocation }: Invocation): Promise<void> {
  // A handler that waits for what nothing will ever settle ends the process on Lambda: no timer, no socket, and this port does not count.
  port.unref();
  requestId = invocation.requestId;
  const { env } = process;
  const context = {
    awsRequestId: requestId,
    invokedFunctionArn: invocation.functionArn,
    functionName: env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: env.AWS_LAMBDA_LOG_STREAM_NAME,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
  let outcome: Message;
  try {
    const result = await handler(JSON.parse(event), context);
    outcome = { type: 'result', payload: stringify(result) };
  } catch (error) {
    console.error(error);
    outcome = { type: 'error', error: describe(error) };
  }
  // A rejection that nobody handles comes first.
  await new Promise(setImmediate);
  requestId = undefined;
  port.ref();
  say(outcome);
}

function stringify(result: unknown): string {
  try {
    return JSON.stringify(result === undefined ? null : result);
  } catch {
    return fail('Unable to stringify response body', 'Runtime.JSONStringifyError');
  }
}

function fail(message: string, name = 'Error'): never {
  throw Object.assign(new Error(message), { name });
}

function describe(error: unknown): FunctionError {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error) };
  return { errorType: error.name, errorMessage: error.message };
}

/** Lambda's log lines. https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html */
function patchConsole(): void {
  const levels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'];
  const lowest = levels.indexOf(process.env.AWS_LAMBDA_LOG_LEVEL ?? 'TRACE');
  const write = process.env.AWS_LAMBDA_LOG_FORMAT === 'JSON' ? jsonLine : textLine;
  const writer =
    (level: string) =>
    (...args: unknown[]) => {
      if (levels.indexOf(level) >= lowest) say({ type: 'log', line: write(level, args) });
    };
  for (const level of levels) Object.assign(console, { [level.toLowerCase()]: writer(level) });
  console.log = console.info;
}

const textLine = (level: string, args: unknown[]) =>
  [new Date().toISOString(), requestId, level, format(...args)].join('\t').replaceAll('\n', '\r');

function jsonLine(level: string, [message, ...params]: unknown[]): string {
  const line: Record<string, unknown> = { timestamp: new Date().toISOString(), level, requestId, message };
  if (params.length > 0) line.message = format(message, ...params);
  const error = params.find((param) => param instanceof Error);
  if (error) Object.assign(line, plain(error));
  try {
    return JSON.stringify(line, (_, value) => (value instanceof Error ? { ...plain(value), ...value } : value));
  } catch {
    return JSON.stringify({ ...line, message: format(message) });
  }
}

const plain = (error: Error) => ({
  errorType: error.constructor.name,
  errorMessage: error.message,
  stackTrace: error.stack?.split('\n'),
});

patchConsole();
try {
  const handler = await load();
  port.on('message', (invocation: Invocation) => void invoke(handler, invocation));
  say({ type: 'ready' });
} catch (error) {
  console.error(error);
  say({ type: 'error', error: describe(error) });
}
