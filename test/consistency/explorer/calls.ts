import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { Readable } from 'node:stream';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { operations as api } from '../../../functions/shared/operations.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { makeBody } from '../../support/plant.ts';
import { proxyEvent } from '../../support/service/proxy-event.ts';
import { explored, type Operation } from './history.ts';
import type { Command, Reply } from './model.ts';

/** Sits between the functions and the network, and can change requests and replies. */
export type Fault = (
  command: Command,
  send: (command: Command) => Promise<Reply>,
) => Promise<Reply>;

/** What a call does next: it sends a command, or it ends with a response. */
export type Next = { command: Command } | { command: undefined; status: number; body: string };

/** Returns what a call does after these replies to its commands. */
export type FindNext = (call: number, operation: Operation, replies: Reply[]) => Promise<Next>;

type Handler = (event: object, context: object) => Promise<unknown>;

const functions = new URL('../../../functions/', import.meta.url);
/** The number of the call that is running, and its network. */
const running = new AsyncLocalStorage<{
  call: number;
  send: (command: Command) => Promise<Reply>;
}>();

/** Replaces the network. */
const handleWith =
  (fault: Fault): NodeHttpHandler['handle'] =>
  async ({ headers, body }) => {
    const name = headers['x-amz-target']?.split('.')[1] ?? '';
    const call = running.getStore();
    if (!call) {
      throw new Error(`No call sent this ${name}.`);
    }
    const parameters = JSON.parse(new TextDecoder().decode(body));
    const reply = await fault({ name, parameters }, call.send);
    if (typeof reply === 'string') {
      throw Object.assign(new Error(reply), { name: 'TimeoutError', code: reply });
    }
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    const stream = Readable.from([Buffer.from(text)]);
    return { response: { statusCode: reply.status, headers: {}, body: stream } as never };
  };

/** Loads the functions with pauses of no length. */
export async function loadFunctions(
  fault: Fault = (command, send) => send(command),
): Promise<FindNext> {
  const credentials = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' };
  Object.assign(process.env, { AWS_REGION: 'here', PLANTS_TABLE: tableIds.plants, ...credentials });
  // With a profile, the SDK would read the developer's credentials.
  delete process.env.AWS_PROFILE;
  Object.assign(console, { info() {}, error() {} });
  // Each run of a call has the same nonce, and each call another.
  crypto.randomBytes = ((size: number) => Buffer.alloc(size, running.getStore()?.call)) as never;
  syncBuiltinESMExports();
  // The schedule alone orders the requests, so pauses end at once.
  globalThis.setTimeout = ((go: () => void) => setImmediate(go)) as never;
  // The client's budget for retries would carry over from run to run.
  Object.assign(StandardRetryStrategy.prototype, { getCapacityCost: () => 0 });
  NodeHttpHandler.prototype.handle = handleWith(fault);
  const load = async (entry: string): Promise<Handler> =>
    (await import(new URL(`${entry}.ts`, functions).href)).handler;
  const handlers = new Map<string, Handler>();
  for (const [kind, name] of Object.entries(explored)) {
    handlers.set(kind, await load(api[name].entry));
  }

  /** Calls a function, and gives it the replies. */
  function start(call: number, operation: Operation, replies: Reply[]): Promise<Next> {
    const [kind, name] = operation.split(' ');
    const requests: Record<string, Parameters<typeof proxyEvent>[0]> = {
      create: { body: makeBody(7, name) },
      delete: { pathParameters: { id: '7' } },
    };
    const event = proxyEvent(requests[`${kind}`]);
    const left = [...replies];
    return new Promise((resolve, reject) => {
      const send = (command: Command) =>
        new Promise<Reply>((receive) => {
          const reply = left.shift();
          if (reply === undefined) {
            resolve({ command });
          } else {
            receive(reply);
          }
        });
      const end = async () => {
        const result = await handlers.get(`${kind}`)?.(event, {});
        const { statusCode: status, body } = result as APIGatewayProxyResult;
        resolve({ command: undefined, status, body });
      };
      running.run({ call, send }, end).catch(reject);
    });
  }

  // Lambda runs one call at a time in a process, so what a call does depends on its replies alone.
  const known = new Map<string, Promise<Next>>();
  return function findNext(call, operation, replies) {
    const key = `${call} ${operation} ${JSON.stringify(replies)}`;
    const next = known.get(key) ?? start(call, operation, replies);
    known.set(key, next);
    return next;
  };
}
