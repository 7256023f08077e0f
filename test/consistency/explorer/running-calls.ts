import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { Readable } from 'node:stream';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { type TableName, tableIds } from '../../../functions/shared/table-schema.ts';
import type { DatabaseCommand, Reply } from './model.ts';
import type { Interceptor, Start, Subject } from './subject.ts';

/** What a call does next: it sends a command, or it ends with a response. */
export type Next =
  | { command: DatabaseCommand; after: (reply: Reply) => Promise<Next> }
  | { command: undefined; status: number; body: string };

/** Returns what a call does first. */
export type FindNext = (start: Start) => Promise<Next>;

interface Running extends Start {
  send: (command: DatabaseCommand) => Promise<Reply>;
  /** Replies of an earlier run of the same call that this one has not got yet. */
  left: Reply[];
  /** Replies that it got. */
  got: Reply[];
  /** Random values that it has made. */
  randoms: number;
  /** The call that has the same first random value. */
  firstRandomOf: number;
}

const running = new AsyncLocalStorage<Running>();

/** Returns the call that is running. */
export function current(): Running {
  const call = running.getStore();
  if (!call) {
    throw new Error('No call is running here.');
  }
  return call;
}

/** Returns what a call with this number makes at random. */
export const makeAs = <T>(number: number, make: () => T): T =>
  running.run(makeRunning(number), make);

const makeRunning = (number: number): Running => ({
  number,
  operation: '',
  seconds: 0,
  send: () => Promise.reject(new Error('This call sends nothing.')),
  left: [],
  got: [],
  randoms: 0,
  firstRandomOf: number,
});

/** The time of the first call, in seconds since 1970. */
export const startTime = 1_800_000_000;

/** Returns whether a call is running here. */
export const isCall = (): boolean => running.getStore() !== undefined;

const honest: Interceptor = (command, send) => send(command);
let planted = honest;

/** Changes the parameters of the commands with this name. */
export const altered =
  (
    name: string,
    alter: (parameters: DatabaseCommand['parameters']) => DatabaseCommand['parameters'],
  ): Interceptor =>
  (command, send) =>
    send(command.name === name ? { name, parameters: alter(command.parameters) } : command);

/** Sends a command of the call that is running. */
export const send = (command: DatabaseCommand): Promise<Reply> => planted(command, current().send);

/** The other table is empty, and a schedule does not decide about its requests. */
export const noItems: Reply = { status: 200, body: { Items: [], Count: 0, ScannedCount: 0 } };

/** Returns a replacement of the network. */
const handleFor =
  (table: TableName): NodeHttpHandler['handle'] =>
  async ({ headers, body }) => {
    const name = headers['x-amz-target']?.split('.')[1] ?? '';
    const parameters = JSON.parse(new TextDecoder().decode(body));
    const isOther = parameters.TableName !== tableIds[table];
    const reply = isOther ? noItems : await send({ name, parameters });
    if (typeof reply === 'string') {
      throw Object.assign(new Error(reply), { name: 'TimeoutError', code: reply });
    }
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    const stream = Readable.from([Buffer.from(text)]);
    return { response: { statusCode: reply.status, headers: {}, body: stream } as never };
  };

/** Loads the calls of a subject, with random values, clocks and pauses that a schedule decides. */
export async function loadCalls({ table, load }: Subject, fault = honest): Promise<FindNext> {
  planted = fault;
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' });
  const tables = { PLANTS_TABLE: tableIds.plants, ACCESS_TOKENS_TABLE: tableIds.accessTokens };
  Object.assign(process.env, { AWS_REGION: 'here', ...tables });
  // With a profile, the SDK would read the developer's credentials.
  delete process.env.AWS_PROFILE;
  Object.assign(console, { info() {}, error() {} });
  // Each run of a call has the same random values, and each call others.
  crypto.randomBytes = ((size: number) => {
    const call = current();
    call.randoms += 1;
    const number = call.randoms === 1 ? call.firstRandomOf : call.number;
    return Buffer.alloc(size, Buffer.from([number, call.randoms]));
  }) as never;
  // The schedule alone orders the requests, so pauses end at once.
  globalThis.setTimeout = ((go: () => void) => setImmediate(go)) as never;
  syncBuiltinESMExports();
  const seconds = () => running.getStore()?.seconds ?? 0;
  Date.now = () => (startTime + seconds()) * 1000;
  performance.now = () => seconds() * 1000;
  // The client's budget for retries would carry over from run to run.
  Object.assign(StandardRetryStrategy.prototype, { getCapacityCost: () => 0 });
  NodeHttpHandler.prototype.handle = handleFor(table);
  const run = await load();

  /** Makes a call, and gives it the replies. Returns what it does after them. */
  function start(call: Start, replies: Reply[]): Promise<Next> {
    const state = { ...makeRunning(call.number), ...call, left: [...replies] };
    /** A call may send several commands at a time. They get their replies in order. */
    const waiting: { command: DatabaseCommand; receive: (reply: Reply) => void }[] = [];
    let next = Promise.withResolvers<Next>();

    function report(): void {
      const [first] = waiting;
      if (!first) {
        return;
      }
      const known = [...replies];
      let isParked = true;
      const after = remember((reply: Reply) => {
        if (!isParked) {
          return start(call, [...known, reply]);
        }
        // This run waits here, so that it goes on with the first reply that is tried.
        isParked = false;
        replies = [...known, reply];
        next = Promise.withResolvers();
        waiting.shift()?.receive(reply);
        report();
        return next.promise;
      });
      next.resolve({ command: first.command, after });
    }

    const send = (command: DatabaseCommand) =>
      new Promise<Reply>((resolve) => {
        const receive = (reply: Reply) => {
          state.got.push(reply);
          resolve(reply);
        };
        const reply = state.left.shift();
        if (reply === undefined) {
          waiting.push({ command, receive });
          report();
        } else {
          receive(reply);
        }
      });
    const end = async () => {
      const outcome = await run(call.operation);
      next.resolve({ command: undefined, ...outcome });
    };
    running.run(Object.assign(state, { send }), end).catch((e) => next.reject(e));
    return next.promise;
  }

  return remember((call) => start({ ...call }, []));
}

/**
 * Lets a command that gets the same replies again have the same result at once. Without this,
 * exploring tokens would take twice as long. A call must not change results, nor send two commands
 * at a time, except for deletes.
 */
export function rememberResults(): void {
  const known = new Map<string, Promise<unknown>>();
  const { prototype } = DynamoDBDocumentClient;
  const send = prototype.send as (command: object, ...options: unknown[]) => Promise<unknown>;

  function sendOnce(this: unknown, command: { input: object }, ...options: unknown[]) {
    const { name } = command.constructor;
    if (name === 'DeleteCommand' || planted !== honest) {
      return send.call(this, command, ...options);
    }
    const { left, got } = current();
    const makeKey = (replies: Reply[]) => JSON.stringify([name, command.input, replies]);
    for (let count = 0; count <= left.length; count += 1) {
      const result = known.get(makeKey(left.slice(0, count)));
      if (result) {
        got.push(...left.splice(0, count));
        return result;
      }
    }
    const before = got.length;
    const result = send.call(this, command, ...options);
    const keep = () => known.set(makeKey(got.slice(before)), result);
    result.then(keep, keep);
    return result;
  }

  prototype.send = sendOnce as typeof prototype.send;
}

// One call runs at a time in a process, so what a call does depends on its replies alone.
function remember<Input>(find: (input: Input) => Promise<Next>): (input: Input) => Promise<Next> {
  const known = new Map<string, Promise<Next>>();
  return (input) => {
    const key = JSON.stringify(input);
    const next = known.get(key) ?? find(input);
    known.set(key, next);
    return next;
  };
}
