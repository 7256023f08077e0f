// @ts-check
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';

// Lambda's runtime for Node, inside a function's thread. It loads the handler (INIT) and invokes it
// with one event after the other. It is JavaScript, because stripping types takes a thread 30 MB.
// https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html

/** @import { Invocation, Message, Outcome } from './function-thread.ts' */
/** @typedef {(event: unknown, context: object) => unknown} Handler */

const { functionArn } = workerData;
const port = parentPort ?? fail('This file runs in a thread of its own.');
/** @param {Message} message */
const say = (message) => port.postMessage(message);
/** @type {string | undefined} */
let requestId;

/** @returns {Promise<Handler>} */
async function load() {
  const { LAMBDA_TASK_ROOT: folder = '', _HANDLER: handlerName = '' } = process.env;
  const [file = '', name = ''] = handlerName.split('.');
  const path = ['.js', '.mjs', '.cjs']
    .map((extension) => join(folder, file + extension))
    .find(existsSync);
  if (!path) {
    fail(`Cannot find module '${file}'`, 'Runtime.ImportModuleError');
  }
  const exports = await import(pathToFileURL(path).href);
  const handler = exports[name] ?? exports.default?.[name];
  if (typeof handler !== 'function') {
    fail(`${handlerName} is not a function`, 'Runtime.HandlerNotFound');
  }
  // https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html
  if (handler.length >= 3) {
    fail(
      'Lambda does not support callback-based function handlers as of Node.js 24.',
      'Runtime.CallbackHandlerDeprecated',
    );
  }
  return handler;
}

/** @param {Handler} handler @param {Invocation} invocation */
async function invoke(handler, { event, timeoutMs, traceId, ...invocation }) {
  const deadline = Date.now() + timeoutMs;
  // Lambda ends a process whose handler waits without timer or socket, so this port must not keep
  // the thread alive.
  port.unref();
  requestId = invocation.requestId;
  // Lambda's runtime sets it too, and the SDK sends it on.
  process.env._X_AMZN_TRACE_ID = traceId;
  const context = {
    awsRequestId: requestId,
    invokedFunctionArn: functionArn,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
  const outcome = await outcomeOf(async () => {
    const result = (await handler(JSON.parse(event), context)) ?? null;
    try {
      return JSON.stringify(result);
    } catch {
      return fail('Unable to stringify response body', 'Runtime.JSONStringifyError');
    }
  });
  // Let an unhandled rejection end the thread before the outcome is sent.
  await new Promise(setImmediate);
  requestId = undefined;
  port.ref();
  say({ type: 'outcome', outcome });
}

/** @param {() => Promise<string>} work @returns {Promise<Outcome>} */
async function outcomeOf(work) {
  try {
    return { payload: await work() };
  } catch (error) {
    console.error(error);
    const isError = error instanceof Error;
    const errorMessage = isError ? error.message : String(error);
    return { error: { errorType: isError ? error.name : typeof error, errorMessage } };
  }
}

/** @returns {never} */
function fail(message = '', name = 'Error') {
  throw Object.assign(new Error(message), { name });
}

/**
 * Makes the console write Lambda's log lines.
 * https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html
 */
function patchConsole() {
  const levels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'];
  const line = process.env.AWS_LAMBDA_LOG_FORMAT === 'JSON' ? jsonLine : textLine;
  const lowest = levels.indexOf(process.env.AWS_LAMBDA_LOG_LEVEL ?? 'TRACE');
  for (const [i, level] of levels.entries()) {
    /** @param {unknown[]} args */
    function write(...args) {
      if (i >= lowest) {
        say({ type: 'log', line: line(level, args) });
      }
    }
    Object.assign(console, { [level.toLowerCase()]: write });
  }
  console.log = console.info;
}

/** @param {string} level @param {unknown[]} args */
const textLine = (level, args) =>
  [new Date().toISOString(), requestId, level, format(...args)].join('\t');

/** @param {string} level @param {unknown[]} logged */
function jsonLine(level, [message, ...params]) {
  /** @param {Error} error */
  const plain = (error) => ({
    errorType: error.constructor.name,
    errorMessage: error.message,
    stackTrace: error.stack?.split('\n'),
  });
  const error = params.find((param) => param instanceof Error);
  const line = {
    timestamp: new Date().toISOString(),
    level,
    requestId,
    message: params.length > 0 ? format(message, ...params) : message,
    ...(error && plain(error)),
  };
  try {
    return JSON.stringify(line, (_, value) =>
      value instanceof Error ? { ...plain(value), ...value } : value,
    );
  } catch {
    return JSON.stringify({ ...line, message: format(message) });
  }
}

patchConsole();
const outcome = await outcomeOf(async () => {
  const handler = await load();
  port.on('message', (invocation) => void invoke(handler, invocation));
  return '';
});
say({ type: 'outcome', outcome });
