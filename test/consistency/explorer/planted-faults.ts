import type { Fault } from './calls.ts';
import { type Command, errorResponse, isWrite, type Reply } from './model.ts';
import type { Scenario } from './schedules.ts';

/** Changes the parameters of the commands with this name. */
const altered =
  (name: string, alter: (parameters: Command['parameters']) => Command['parameters']): Fault =>
  (command, send) =>
    send(command.name === name ? { name, parameters: alter(command.parameters) } : command);

/** Replaces replies to writes. */
const mistaken =
  (mistake: (reply: Reply) => Reply): Fault =>
  async (command, send) => {
    const reply = await send(command);
    return isWrite(command) ? mistake(reply) : reply;
  };

const throttled = errorResponse(400, 'ThrottlingException');
const isThrottled = (reply: Reply) => JSON.stringify(reply) === JSON.stringify(throttled);

/** Faults, one for each rule of `violation` and of the schedules, with the calls that show them. */
export const plantedFaults: Record<string, [Fault, calls: string, Partial<Scenario>?]> = {
  'a put without its nonce': [
    altered('PutItem', ({ Item, ...rest }) => ({ ...rest, Item: { ...Object(Item), nonce: {} } })),
    'create Aloe',
  ],
  'a list that may be stale': [
    altered('Query', ({ ConsistentRead, ...rest }) => rest),
    'create Aloe, list',
    { faults: 0 },
  ],
  'a delete that timed out and is treated as reset': [
    mistaken((reply) => (reply === 'ETIMEDOUT' ? 'ECONNRESET' : reply)),
    'create Aloe, delete',
  ],
  'a put that no later call can read': [
    altered('PutItem', ({ Item, ...rest }) => ({
      ...rest,
      Item: { ...Object(Item), tag: { N: '1' } },
    })),
    'create Aloe',
    { faults: 0 },
  ],
  'a throttled write treated as unknown': [
    mistaken((reply) => (isThrottled(reply) ? 'ECONNRESET' : reply)),
    'create Aloe',
  ],
};
