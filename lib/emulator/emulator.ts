import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Gateway, restApi } from './gateway/gateway.ts';
import type { HttpResponse } from './gateway/http.ts';
import type { Log } from './lambda/execution-environment.ts';
import { type FunctionPool, functionPool } from './lambda/function-pool.ts';
import { listen } from './listen.ts';
import { readTemplate, type Template } from './template/template.ts';

export interface Emulator {
  /** Up to and including the stage, like `http://127.0.0.1:3000/v1`. */
  readonly baseUrl: string;
  /** Goes over to another assembly: new requests meet it at once, those under way end as they began. Throws, and stays with the old one, where it cannot. */
  replace(assembly: string): void;
  /** Lets the requests under way finish, then ends. */
  stop(): Promise<void>;
}

export interface EmulatorOptions {
  /** The folder of a synthesized cloud assembly. */
  assembly: string;
  /** 0 is any free port. */
  port: number;
  /** Of an engine that has the template's tables. */
  dynamodbEndpoint: string;
  /** Gets each log line of the functions as Lambda would write it. */
  log: Log;
  /** Answers a request itself and returns true, or leaves it to the API and returns false. */
  front?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

const host = '127.0.0.1';

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html */
const maxHeaderSize = 10_240;

/**
 * Serves an assembly's REST API on the loopback, its functions in threads. Rejects where the template holds what the emulator does not understand,
 * or the port is taken.
 */
export async function startEmulator({
  assembly,
  port,
  dynamodbEndpoint,
  log,
  front,
}: EmulatorOptions): Promise<Emulator> {
  let running = start(readTemplate(assembly), dynamodbEndpoint, log);
  let stopping = false;
  const server = createServer({ maxHeaderSize }, async (request, response) => {
    try {
      if (front?.(request, response)) return;
      const answer = await answerTo(running.gateway, request);
      if (stopping) response.setHeader('Connection', 'close');
      if (answer) send(answer, response);
    } catch (error) {
      log('emulator', `${(error as Error).stack}`);
      response.destroy();
    }
  });
  const actualPort = await listen(server, port, host);
  const retired: FunctionPool[] = [];

  return {
    get baseUrl() {
      return `http://${host}:${actualPort}/${running.gateway.stageName}`;
    },
    replace(other) {
      const next = start(readTemplate(other), dynamodbEndpoint, log);
      for (const pool of running.pools) {
        pool.retire();
        retired.push(pool);
      }
      running = next;
    },
    async stop() {
      stopping = true;
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      await Promise.all([...running.pools, ...retired].map((pool) => pool.stop()));
    },
  };
}

function start(
  template: Template,
  dynamodbEndpoint: string,
  log: Log,
): { gateway: Gateway; pools: FunctionPool[] } {
  const pools = new Map<string, FunctionPool>();
  for (const [FunctionName, properties] of template.of('AWS::Lambda::Function')) {
    const folder = template.folder(properties.Code);
    pools.set(
      FunctionName,
      functionPool({ ...properties, FunctionName, folder }, dynamodbEndpoint, log),
    );
  }
  return { gateway: restApi(template, pools), pools: [...pools.values()] };
}

/** Undefined where the client went away before it had sent all. */
async function answerTo(
  gateway: Gateway,
  request: IncomingMessage,
): Promise<HttpResponse | undefined> {
  const { method = '', url = '', rawHeaders, socket } = request;
  const chunks = await request.toArray().catch(() => undefined);
  if (!chunks) return undefined;
  const headers: [string, string][] = [];
  for (let i = 0; i < rawHeaders.length; i += 2)
    headers.push([rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '']);
  const sourceIp = socket.remoteAddress ?? '';
  const forwardedFor = [
    ...headers
      .filter(([name]) => name.toLowerCase() === 'x-forwarded-for')
      .map(([, value]) => value),
    sourceIp,
  ];
  headers.push(
    ['X-Forwarded-For', forwardedFor.join(', ')],
    ['X-Forwarded-Port', `${socket.localPort}`],
    ['X-Forwarded-Proto', 'http'],
  );
  return gateway.answer({ method, url, headers, body: Buffer.concat(chunks), sourceIp });
}

function send({ statusCode, headers, body }: HttpResponse, response: ServerResponse): void {
  response.statusCode = statusCode;
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.end(body);
}
