import { AsyncLocalStorage } from 'node:async_hooks';
import { flushCompileCache } from 'node:module';
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { Context } from 'aws-lambda';
import { isLogCode } from '../../../functions/shared/log-codes.ts';
import { authorizer, operations } from '../../../functions/shared/operations.ts';
import type { CallResult, Failure, FunctionCall, ThreadMessage } from './messages.ts';

// The functions' thread, with their environment variables on AWS.

type Handler = (event: object, context: Context) => Promise<unknown>;

const gatewayPort = parentPort as MessagePort;
const callId = new AsyncLocalStorage<number>();

/**
 * Sends lines with a code to the request's log, at once: a function that never returns has logged
 * them too. All other lines are printed.
 */
function sendCodedLines(method: 'info' | 'error'): void {
  const print = console[method];
  console[method] = (...args: unknown[]) => {
    const id = callId.getStore();
    const [first] = args as [{ code?: unknown } | undefined];
    if (id !== undefined && args.length === 1 && isLogCode(String(first?.code))) {
      post({ id, line: JSON.stringify(first) });
    } else {
      print(...args);
    }
  };
}

function post(message: ThreadMessage): void {
  gatewayPort.postMessage(message);
}

async function loadHandlers(): Promise<Map<string, Handler>> {
  const handlers = new Map<string, Handler>();
  for (const { entry } of [authorizer, ...Object.values(operations)]) {
    const { handler } = await import(`../../../functions/${entry}.ts`);
    handlers.set(entry, handler);
  }
  return handlers;
}

/** A function may throw any value. */
function toFailure(error: unknown): Failure {
  const { message = String(error), stack = String(error) } = Object(error);
  return { message, stack };
}

sendCodedLines('info');
sendCodedLines('error');
const handlers = await loadHandlers();

async function handleCall({ id, entry, event, timeoutMs }: FunctionCall): Promise<CallResult> {
  const end = Date.now() + timeoutMs;
  const context = { getRemainingTimeInMillis: () => end - Date.now() } as Context;
  try {
    const result = await callId.run(id, async () => handlers.get(entry)?.(event, context));
    return { id, payload: JSON.stringify(result) };
  } catch (error) {
    return { id, failure: toFailure(error) };
  }
}

gatewayPort.on('message', async (call: FunctionCall) => post(await handleCall(call)));
post('loaded');
// Node would cache the code at the thread's own end only, but a reload or Ctrl-C comes first.
flushCompileCache();
