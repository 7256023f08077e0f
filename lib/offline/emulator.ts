import { readdirSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { digestOf } from './digest.ts';
import { type Gateway, maxPayloadBytes, restApi } from './gateway/gateway.ts';
import type { HttpRequest, HttpResponse } from './gateway/request.ts';
import { endUnread, readBody, stopper } from './http/connections.ts';
import { listen } from './http/listen.ts';
import type { LambdaFunction, Log } from './lambda/execution-environment.ts';
import { type FunctionPool, functionPool } from './lambda/function-pool.ts';
import { readTemplate, type Template } from './template/template.ts';
import { newTrace, type Trace } from './trace.ts';

export interface Emulator {
  /** With the stage, like `http://127.0.0.1:3000/v1`. */
  readonly baseUrl: string;
  /**
   * Serves new requests with another assembly. Requests in progress finish with the old one. A
   * function that stays the same keeps its environments. `code` has newer folders of functions'
   * code, by logical id. Throws and keeps the old assembly if it does not support the other.
   */
  replace(assembly: string, code?: Record<string, string>): void;
  /** Answers the requests that have arrived, within ten seconds, then ends. */
  stop(): Promise<void>;
}

export interface EmulatorOptions {
  /** The folder of a synthesized cloud assembly. */
  assembly: string;
  /** 0 is any free port. */
  port: number;
  /** The endpoint of an engine that has the template's tables. */
  dynamodbEndpoint: string;
  /** Gets each log line of the functions as Lambda would write it. */
  log: Log;
  /** Answers a request itself and returns true, or leaves it to the API and returns false. */
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** The number of invocations of a function that can run at once. */
  concurrency?: number;
  /**
   * Whether a debugger may pause functions: no timeout ends them, the gateway waits, and a paused
   * function does not hold up the end.
   */
  isDebugged?: boolean;
  /** Variables that functions have beside those of the template. */
  variables?: Record<string, string>;
  /** Starts an environment of each function at once, so that the first request is not slow. */
  prewarm?: boolean;
  /** Gets the trace of each request that arrives. What it returns is called with the answer. */
  onRequest?: (trace: Trace) => (answered: Answered) => void;
}

/** A request and its answer, with the stage of the API. */
export type Answered = Pick<HttpRequest, 'method' | 'url'> &
  Omit<HttpResponse, 'headers'> & { durationMs: number; stageName: string };

const host = '127.0.0.1';

/** The longest of Node's timers: 24 days. Longer ones would fire at once. */
const longestTimeoutMs = 2 ** 31 - 1;

/** A thread ends within milliseconds, and never while a debugger pauses it. */
const pausedTimeoutMs = 3000;

/**
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
const maxHeaderSize = 10_240;

/**
 * Serves an assembly's REST API on the loopback, with its functions in threads. Rejects if the
 * template has something that the emulator does not support, or if the port is taken.
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { dynamodbEndpoint, log, prewarm, isDebugged, onRequest = () => () => {} } = options;
  const all: FunctionPool[] = [];
  function newPool(lambda: LambdaFunction): FunctionPool {
    const pool = functionPool(lambda, dynamodbEndpoint, log, options.concurrency);
    all.push(pool);
    return pool;
  }
  let running = startApi(readTemplate(options.assembly), options, {}, newPool);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    const { gateway } = running;
    if (options.intercept?.(request, response)) {
      return;
    }
    const received = await receive(request);
    if (!received) {
      return;
    }
    const trace = newTrace();
    const onAnswer = onRequest(trace);
    const answer = await gateway.answer(received, trace);
    send(answer, response);
    const { method, url } = received;
    const durationMs = performance.now() - startedAt;
    onAnswer({ method, url, ...answer, durationMs, stageName: gateway.stageName });
  }

  // For a request without a Host, Node would answer 400 and still serve the next pipelined one.
  const httpOptions = { maxHeaderSize, requireHostHeader: false };
  const server = createServer(httpOptions, async (request, response) => {
    const { socket, httpVersion, headers } = request;
    if (!socket.writable) {
      return;
    }
    if (httpVersion === '1.1' && headers.host === undefined) {
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      return;
    }
    try {
      await serve(request, response);
    } catch (error) {
      log('emulator', `${(error as Error).stack}`);
      response.destroy();
    }
  });
  const stopServer = stopper(server);
  const actualPort = await listen(server, options.port, host);
  if (prewarm) {
    for (const pool of running.pools.values()) {
      pool.prewarm();
    }
  }

  return {
    get baseUrl() {
      return `http://${host}:${actualPort}/${running.gateway.stageName}`;
    },

    replace(other, code = {}) {
      const { pools } = running;
      const poolOf: PoolOf = (lambda, identity) => pools.get(identity) ?? newPool(lambda);
      running = startApi(readTemplate(other), options, code, poolOf);
      for (const [identity, pool] of running.pools) {
        if (prewarm && !pools.has(identity)) {
          pool.prewarm();
        }
      }
      for (const [identity, pool] of pools) {
        if (!running.pools.has(identity)) {
          pool.retire();
        }
      }
    },

    async stop() {
      if (isDebugged) {
        server.closeAllConnections();
      }
      await stopServer();
      const ended = Promise.all(all.map((pool) => pool.stop()));
      await (isDebugged
        ? Promise.race([ended, setTimeout(pausedTimeoutMs, undefined, { ref: false })])
        : ended);
    },
  };
}

/** The API of a template, and the pools of its functions by the functions' identity. */
interface RunningApi {
  gateway: Gateway;
  pools: Map<string, FunctionPool>;
}

type PoolOf = (lambda: LambdaFunction, identity: string) => FunctionPool;

/** Starts the API of a template, whose functions get new folders of code from `code`. */
function startApi(
  template: Template,
  { isDebugged, variables }: EmulatorOptions,
  code: Record<string, string>,
  poolOf: PoolOf,
): RunningApi {
  const byName = new Map<string, FunctionPool>();
  const pools = new Map<string, FunctionPool>();
  for (const [FunctionName, properties] of template.of('AWS::Lambda::Function')) {
    const folder = code[FunctionName] ?? template.folder(FunctionName);
    const Variables = { ...properties.Environment?.Variables, ...variables };
    const timeouts = isDebugged && {
      Timeout: longestTimeoutMs / 1000,
      initTimeoutMs: longestTimeoutMs,
    };
    const lambda = { ...properties, FunctionName, folder, Environment: { Variables }, ...timeouts };
    const identity = identityOf(lambda);
    const pool = poolOf(lambda, identity);
    byName.set(FunctionName, pool);
    pools.set(identity, pool);
  }
  return { gateway: restApi(template, byName, isDebugged ? longestTimeoutMs : undefined), pools };
}

/** Returns what a function is: its settings and a digest of its code. */
function identityOf({ folder, Code: _, ...settings }: LambdaFunction): string {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = paths.filter((path) => statSync(join(folder, path)).isFile());
  return JSON.stringify([settings, digestOf(files, folder)]);
}

/**
 * Returns a request, whose body is cut off if it is too large, or undefined if the client
 * disconnected before it had sent all.
 */
async function receive(request: IncomingMessage): Promise<HttpRequest | undefined> {
  const { method = '', url = '', headers: joined, rawHeaders, socket } = request;
  const body = await readBody(request, maxPayloadBytes).catch(() => undefined);
  if (!body) {
    return undefined;
  }
  const sourceIp = socket.remoteAddress ?? '';
  const forwardedFor = [joined['x-forwarded-for'] ?? [], sourceIp].flat().join(', ');
  const forwarded = ['X-Forwarded-For', forwardedFor, 'X-Forwarded-Port', `${socket.localPort}`];
  const sent = [...rawHeaders, ...forwarded, 'X-Forwarded-Proto', 'http'];
  const headers: HttpRequest['headers'] = [];
  for (let i = 0; i < sent.length; i += 2) {
    headers.push([sent[i] ?? '', sent[i + 1] ?? '']);
  }
  return { method, url, headers, body, sourceIp };
}

function send({ statusCode, headers, body }: HttpResponse, response: ServerResponse): void {
  response.statusCode = statusCode;
  for (const [name, value] of headers) {
    response.appendHeader(name, value);
  }
  if (response.req.complete) {
    response.end(body);
  } else {
    endUnread(response, body);
  }
}
