import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { proxyEvent } from '../../support/service/proxy-event.ts';
import type { Operation } from './history.ts';
import type { Command, Reply } from './model.ts';

/** Sits between the functions and the network, and can change requests and replies. */
export type Fault = (
  command: Command,
  send: (command: Command) => Promise<Reply>,
) => Promise<Reply>;
export type Request = { command: Command; reply: (reply: Reply) => void };
const functions = new URL('../../../functions/', import.meta.url);
const callers = new AsyncLocalStorage<(request: Request) => void>();

/** Replaces the network: passes each request to the caller of the function. */
const handleWith =
  (fault: Fault): NodeHttpHandler['handle'] =>
  async ({ headers, body }) => {
    const name = headers['x-amz-target']?.split('.')[1] ?? '';
    const caller = callers.getStore();
    if (!caller) {
      throw new Error(`No call sent this ${name}.`);
    }
    const parameters = JSON.parse(new TextDecoder().decode(body));
    const send = (command: Command) => new Promise<Reply>((reply) => caller({ command, reply }));
    const reply = await fault({ name, parameters }, send);
    if (typeof reply === 'string') {
      throw Object.assign(new Error(reply), { name: 'TimeoutError', code: reply });
    }
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    const stream = Readable.from([Buffer.from(text)]);
    return { response: { statusCode: reply.status, headers: {}, body: stream } as never };
  };

/** The response to a call. */
interface CallResponse {
  request: undefined;
  status: number;
  body: string;
}

/** Calls a function. Yields each request that waits for a reply, and returns the response. */
export type MakeCall = (
  operation: Operation,
) => AsyncGenerator<{ request: Request }, CallResponse, undefined>;

/** Loads the functions with pauses of no length. Returns a function that calls them. */
export async function loadFunctions(
  fault: Fault = (command, send) => send(command),
): Promise<MakeCall> {
  const credentials = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' };
  Object.assign(process.env, { AWS_REGION: 'here', PLANTS_TABLE: tableIds.plants, ...credentials });
  // With a profile, the SDK would read the developer's credentials.
  delete process.env.AWS_PROFILE;
  Object.assign(console, { info() {}, error() {} });
  // Nothing reads stack traces and signatures here. They would take a third of the time.
  Error.stackTraceLimit = 0;
  SignatureV4.prototype.sign = async (request: never) => request;
  // The schedule alone orders the requests, so pauses end at once.
  globalThis.setTimeout = ((go: () => void) => setImmediate(go)) as never;
  // The client's budget for retries would carry over from schedule to schedule.
  Object.assign(StandardRetryStrategy.prototype, { getCapacityCost: () => 0 });
  NodeHttpHandler.prototype.handle = handleWith(fault);
  const load = async (entry: string) =>
    (await import(new URL(`${entry}.ts`, functions).href)).handler;
  const entries = ['create-plant', 'delete-plant', 'list-plants'];
  const [create, remove, list] = await Promise.all(entries.map(load));
  const handlers = { 'create Aloe': create, 'create Ficus': create, delete: remove, list };

  return async function* call(operation) {
    const [kind, name] = operation.split(' ');
    const requests: Record<string, Parameters<typeof proxyEvent>[0]> = {
      create: { body: `{"id":7,"name":"${name}"}` },
      delete: { pathParameters: { id: '7' } },
    };
    const event = proxyEvent(requests[`${kind}`]);
    let next = Promise.withResolvers<{ request: Request }>();
    const send = (request: Request) => next.resolve({ request });
    const end = callers.run(send, async () => {
      const { statusCode: status, body } = await handlers[operation](event, {});
      return { request: undefined, status, body };
    });
    for (;;) {
      const change = await Promise.race([next.promise, end]);
      if (!change.request) {
        return change;
      }
      next = Promise.withResolvers();
      yield change;
    }
  };
}
