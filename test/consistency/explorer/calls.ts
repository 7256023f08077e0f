import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { proxyEvent } from '../../support/service/proxy-event.ts';
import type { Operation } from './history.ts';
import type { Command, Reply } from './model.ts';

/**
 * Stands between the functions and the network, so that both together are functions with a fault,
 * however the code is worded.
 */
export type Fault = (
  command: Command,
  send: (command: Command) => Promise<Reply>,
) => Promise<Reply>;
export type Request = { command: Command; reply: (reply: Reply) => void };
const functions = new URL('../../../functions/', import.meta.url);
const callers = new AsyncLocalStorage<(request: Request) => void>();

/** Stands in for the network: it hands each request to the caller of the function. */
const handleWith =
  (fault: Fault): NodeHttpHandler['handle'] =>
  async ({ headers, body }) => {
    const name = headers['x-amz-target']?.split('.')[1] ?? '';
    const caller = callers.getStore();
    if (!caller) {
      throw new Error(`${name} was sent by no call.`);
    }
    const parameters = JSON.parse(new TextDecoder().decode(body));
    const send = (command: Command) => new Promise<Reply>((reply) => caller({ command, reply }));
    const answer = await fault({ name, parameters }, send);
    if (typeof answer === 'string') {
      throw Object.assign(new Error(answer), { name: 'TimeoutError', code: answer });
    }
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    const stream = Readable.from([Buffer.from(text)]);
    return { response: { statusCode: answer.status, headers: {}, body: stream } as never };
  };

/** The answer of a call. */
interface Ended {
  request: undefined;
  status: number;
  body: string;
}

/** Makes a call. Yields each request that waits for its reply, and returns the answer. */
export type MakeCall = (
  operation: Operation,
) => AsyncGenerator<{ request: Request }, Ended, undefined>;

/**
 * Loads the functions into virtual time, and returns a function that calls them. A fault can stand
 * between them and the network.
 */
export async function loadFunctions(
  fault: Fault = (command, send) => send(command),
): Promise<MakeCall> {
  const credentials = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' };
  Object.assign(process.env, { AWS_REGION: 'here', PLANTS_TABLE: tableIds.plants, ...credentials });
  // The SDK would look for the developer's own credentials.
  delete process.env.AWS_PROFILE;
  Object.assign(console, { info() {}, error() {} });
  // Stack traces and signatures, which nobody reads here, would take a third of the time.
  Error.stackTraceLimit = 0;
  SignatureV4.prototype.sign = async (request: never) => request;
  // A pause ends at once, because the schedule alone orders the requests.
  globalThis.setTimeout = ((go: () => void) => setImmediate(go)) as never;
  // Retries use up a budget of the client, which would carry over from schedule to schedule.
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
