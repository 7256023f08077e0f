import { Agent } from 'node:http';
import type { APIGatewayAuthorizerResult, APIGatewayProxyResult, Context } from 'aws-lambda';
import { type Operation, operations } from '../../../functions/shared/operations.ts';
import { functionVariables } from '../../../lib/offline/functions.ts';
import { send } from '../http/http-client.ts';
import { type Answer, differences, placesIn } from '../openapi/description.ts';
import { lambdaContext, multiValues, proxyEvent, tokenEvent } from './proxy-event.ts';
import { type Service, type ServiceOptions, startService } from './service.ts';

export interface Call {
  operation: Operation;
  owner: string;
  headers?: [name: string, value: string][];
  body?: Buffer;
  /** Whether the gateway passes the body on as base64. Otherwise it changes what is not UTF-8. */
  isBase64?: boolean;
  query?: [name: string, value: string][];
  /** The parameters of the path, as they stand in it. */
  path?: Record<string, string>;
}

export const plantsIn = ({ body }: Answer) => JSON.parse(body) as { name: string; tag: string }[];
/** Returns a refusal as the oracle of the fuzzing writes it. */
export const refusalIn = ({ status, body }: Answer) => ({ status, places: placesIn(body) });

/** Returns the path of an operation with its parameters as they stand in it. */
const pathOf = (operation: Operation, given: Record<string, string> = {}): string =>
  `/${operations[operation].path.replaceAll(/\{(\w+)\}/g, (_, name) => `${given[name]}`)}`;

/** A second of CPU is a hundred times what any call takes. */
const maxCpuMicroseconds = 1_000_000;

interface StoreOptions extends ServiceOptions {
  /** Whether calls are made at once. The CPU time of one call cannot be told then. */
  atOnce?: boolean;
}

export interface Store extends Service {
  agent: Agent;
  /**
   * Calls an operation, over HTTP or not. Throws if the OpenAPI document does not describe the
   * answer, or if it is a 5xx. The 503 of a busy plant can be allowed.
   */
  call(request: Call, isOverHttp?: boolean, canBeBusy?: boolean): Promise<Answer>;
  /** Calls a function with an event. */
  invoke(operation: Operation, event: unknown): Promise<Answer>;
  /** Returns the policy of the authorizer for the value of an `Authorization` header. */
  authorize(authorizationToken: string): Promise<APIGatewayAuthorizerResult>;
}

/** Starts the service, and loads the functions here too, to call their handlers. */
export async function openStore({ atOnce = false, ...options }: StoreOptions = {}): Promise<Store> {
  const service = await startService(options);
  const { baseUrl, databaseEndpoint } = service;
  const log: unknown[] = [];
  for (const level of ['info', 'warn', 'error'] as const) {
    console[level] = (line: unknown) => {
      log[0] = line;
      // `stop` searches them for secrets.
      service.log.push(JSON.stringify(line));
    };
  }

  Object.assign(process.env, functionVariables(databaseEndpoint));
  const handlers = new Map<string, Handler>();
  for (const entry of ['authorize', ...Object.values(operations).map(({ entry }) => entry)]) {
    const { handler } = await import(`../../../functions/${entry}.ts`);
    handlers.set(entry, handler);
  }

  const tokens = new Map<string, Promise<string>>();
  const agent = new Agent({ keepAlive: true });

  /** Calls a handler with an event. Throws if the handler does, or if it takes too much CPU. */
  async function run(entry: string, event: unknown): Promise<unknown> {
    const startedAt = process.threadCpuUsage();
    const [settled] = await Promise.allSettled([handlers.get(entry)?.(event, lambdaContext())]);
    const { user, system } = process.threadCpuUsage(startedAt);
    if (!atOnce && user + system > maxCpuMicroseconds) {
      throw new Error(`${entry} took ${(user + system) / 1000} ms of CPU.`);
    }
    if (settled.status === 'rejected') {
      throw settled.reason;
    }
    return settled.value;
  }

  async function invoke(operation: Operation, event: unknown): Promise<Answer> {
    const result = (await run(operations[operation].entry, event)) as APIGatewayProxyResult;
    const { statusCode: status, headers = {}, body } = result;
    const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), `${value}`]);
    return { status, headers: Object.fromEntries(named), body };
  }

  const authorize = (authorizationToken: string) =>
    run('authorize', tokenEvent(authorizationToken)) as Promise<APIGatewayAuthorizerResult>;

  /** Calls the function behind an operation as the gateway would. */
  const callFunction = ({ operation, owner, headers = [], query = [], body, ...call }: Call) =>
    invoke(
      operation,
      proxyEvent({
        path: `/v1${pathOf(operation, call.path)}`,
        authorizer: { owner },
        headers: multiValues(headers),
        query: query.length > 0 ? multiValues(query) : undefined,
        pathParameters: call.path,
        body: body?.toString(call.isBase64 ? 'base64' : 'utf8'),
        isBase64Encoded: call.isBase64,
      }),
    );

  async function callGateway(request: Call): Promise<Answer> {
    const { operation, owner, headers = [], body, query = [], path } = request;
    if (!tokens.has(owner)) {
      tokens.set(owner, service.issue(owner));
    }
    const encode = (text: string) => encodeURIComponent(text.toWellFormed());
    const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
    const sent = {
      method: operations[operation].method,
      path: `${pathOf(operation, path)}${search && `?${search}`}`,
      headers: ['Authorization', `Bearer ${await tokens.get(owner)}`, ...headers.flat()],
      body,
    };
    const answer = await send(baseUrl, sent, agent);
    return { ...answer, headers: answer.headers as Answer['headers'] };
  }

  async function call(request: Call, isOverHttp = false, canBeBusy = false): Promise<Answer> {
    const answer = await (isOverHttp ? callGateway : callFunction)(request);
    const found = differences(request.operation, answer);
    if (answer.status >= 500 && !(canBeBusy && answer.status === 503)) {
      found.push(`it is a 5xx: ${isOverHttp ? service.log.slice(-3) : JSON.stringify(log)}`);
    }
    if (found.length > 0) {
      throw new Error(`The answer is not in the contract: ${found.join('; ')}. ${answer.body}`);
    }
    return answer;
  }

  const stop = () => service.stop().finally(() => agent.destroy());

  return { ...service, agent, call, invoke, authorize, stop };
}

type Handler = (event: unknown, context: Context) => Promise<unknown>;
