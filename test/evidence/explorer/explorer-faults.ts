import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { type Answer, type Command, isWrite, refusal } from './model.ts';

/** An answer, or the code of a network error. */
export type Reply = Answer | string;
type Send = (command: Command) => Promise<Reply>;

/**
 * Stands between the functions and the network, so that both together are functions with a fault,
 * however the code is worded. Gets what identifies the call that a command belongs to.
 */
export type Fault = (send: Send, call: object) => Send;

const isLost = (reply: Reply) =>
  typeof reply === 'string' || typeof reply.body === 'string' || reply.status >= 500;

/** Sends the commands of a name without some of their parameters. */
const without =
  (name: string, ...parameters: string[]): Fault =>
  (send) =>
  (command) =>
    send(
      command.name === name
        ? {
            name,
            parameters: Object.fromEntries(
              Object.entries(command.parameters).filter(([key]) => !parameters.includes(key)),
            ),
          }
        : command,
    );

/** Sends a write a second time if its answer is lost. */
const again =
  (name: string): Fault =>
  (send) =>
  async (command) => {
    const reply = await send(command);
    return command.name === name && isLost(reply) ? send(command) : reply;
  };

/** Takes replies to the commands of a name for others. */
const mistaking =
  (name: string, mistake: (reply: Reply) => Reply): Fault =>
  (send) =>
  async (command) => {
    const reply = await send(command);
    return command.name === name ? mistake(reply) : reply;
  };

/** What a fault remembers of a call. */
const memory = new WeakMap<object, unknown>();

/** Faults in creating, deleting and listing, by name. */
export const faults: Record<string, () => Fault> = {
  'a put without its condition': () =>
    without('PutItem', 'ConditionExpression', 'ExpressionAttributeNames'),
  'one nonce for all creates': () => {
    Object.assign(crypto, { randomBytes: (size: number) => Buffer.alloc(size) });
    syncBuiltinESMExports();
    return (send) => send;
  },
  'an item of any create taken for the own one': () => (send, call) => async (command) => {
    const { Item } = command.parameters as { Item?: { nonce?: unknown } };
    if (Item) memory.set(call, Item.nonce);
    const reply = await send(command);
    const found = (reply as { body?: { Item?: object } }).body?.Item;
    if (!memory.has(call) || !found) return reply;
    return { status: 200, body: { Item: { ...found, nonce: memory.get(call) } } };
  },
  'a put sent again after a lost answer': () => again('PutItem'),
  'a delete sent again after a lost answer': () => again('DeleteItem'),
  'a read that may be stale': () => without('GetItem', 'ConsistentRead'),
  'a list that may be stale': () => without('Query', 'ConsistentRead'),
  'a lost answer judged like a failed condition': () =>
    mistaking('PutItem', (reply) =>
      isLost(reply) ? refusal(400, 'ConditionalCheckFailedException') : reply,
    ),
  'a timed-out delete settled like a lost answer': () =>
    mistaking('DeleteItem', (reply) => (reply === 'ETIMEDOUT' ? 'ECONNRESET' : reply)),
  'a delete that succeeds though a plant is there': () => (send, call) => async (command) => {
    if (command.name === 'DeleteItem') memory.set(call, undefined);
    const reply = await send(command);
    return command.name === 'GetItem' && memory.has(call) ? { status: 200, body: {} } : reply;
  },
  'a 5xx taken for a refusal': () => (send) => async (command) => {
    const reply = await send(command);
    const isError = typeof reply !== 'string' && reply.status >= 500 && isWrite(command);
    return isError ? refusal(400, 'ThrottlingException') : reply;
  },
  'a reset taken for a refused connection': () => (send) => async (command) => {
    const reply = await send(command);
    return reply === 'ECONNRESET' && isWrite(command) ? 'ECONNREFUSED' : reply;
  },
  'a lost answer of a delete told as 404': () =>
    mistaking('DeleteItem', (reply) => (isLost(reply) ? { status: 200, body: {} } : reply)),
};
