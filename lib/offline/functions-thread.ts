import { AsyncLocalStorage } from 'node:async_hooks';
import { parentPort } from 'node:worker_threads';
import type { Context } from 'aws-lambda';
import { isLogCode } from '../../functions/shared/log-codes.ts';
import { operations } from '../../functions/shared/operations.ts';

// The functions' thread, with their environment variables on AWS.

export interface Call {
  id: number;
  /** The name of the function's file, without `.ts`. */
  entry: string;
  event: object;
  timeoutMs: number;
}

export interface Failure {
  message: string;
  stack: string;
}

/** The outcome of a call: the result as JSON, or a failure. */
export interface Outcome {
  id: number;
  payload?: string | undefined;
  failure?: Failure | undefined;
  /** The lines with a code that the function logged, as JSON. */
  log: string[];
}

type Handler = (event: object, context: Context) => Promise<unknown>;

const logOfCall = new AsyncLocalStorage<string[]>();

/** Keeps lines with a code for the request's own line. All others are printed. */
function keepCodedLines(method: 'info' | 'error'): void {
  const print = console[method];
  console[method] = (...line: unknown[]) => {
    const log = logOfCall.getStore();
    const [first] = line as [{ code?: unknown } | undefined];
    if (log && isLogCode(String(first?.code))) {
      log.push(JSON.stringify(first));
    } else {
      print(...line);
    }
  };
}

async function loadHandlers(): Promise<Map<string, Handler>> {
  const handlers = new Map<string, Handler>();
  for (const entry of ['authorize', ...Object.values(operations).map(({ entry }) => entry)]) {
    const { handler } = await import(`../../functions/${entry}.ts`);
    handlers.set(entry, handler);
  }
  return handlers;
}

function failureOf(error: unknown): Failure {
  if (error instanceof Error) {
    return { message: error.message, stack: error.stack || `${error}` };
  }
  return { message: String(error), stack: String(error) };
}

keepCodedLines('info');
keepCodedLines('error');
const handlers = await loadHandlers();

async function run({ id, entry, event, timeoutMs }: Call): Promise<Outcome> {
  const log: string[] = [];
  const end = Date.now() + timeoutMs;
  const context = { getRemainingTimeInMillis: () => end - Date.now() } as Context;
  try {
    const result = await logOfCall.run(log, async () => handlers.get(entry)?.(event, context));
    return { id, payload: JSON.stringify(result), log };
  } catch (error) {
    return { id, failure: failureOf(error), log };
  }
}

parentPort?.on('message', async (call: Call) => parentPort?.postMessage(await run(call)));
parentPort?.postMessage('loaded');
