import type { Fault } from './calls.ts';
import { type Command, errorResponse, isWrite, type Reply } from './model.ts';
import type { Scenario } from './schedules.ts';

const isLost = (reply: Reply) =>
  typeof reply === 'string' || typeof reply.body === 'string' || reply.status >= 500;

/** Changes the parameters of the commands with this name. */
const altered =
  (name: string, alter: (parameters: Command['parameters']) => Command['parameters']): Fault =>
  (command, send) =>
    send(command.name === name ? { name, parameters: alter(command.parameters) } : command);

/** Replaces replies to writes. */
const mistaken =
  (mistake: (reply: Reply, command: Command) => Reply): Fault =>
  async (command, send) => {
    const reply = await send(command);
    return isWrite(command) ? mistake(reply, command) : reply;
  };

const resendLostPuts: Fault = async (command, send) => {
  const reply = await send(command);
  return command.name === 'PutItem' && isLost(reply) ? send(command) : reply;
};

const notFound: Reply = { status: 200, body: {} };
const throttled = errorResponse(400, 'ThrottlingException');
const isThrottled = (reply: Reply) => JSON.stringify(reply) === JSON.stringify(throttled);

/** Faults, one for each rule of the contract, with the calls and the scenario that show them. */
export const plantedFaults: Record<string, [Fault, calls: string, Partial<Scenario>?]> = {
  'a put without its condition': [
    altered('PutItem', ({ ConditionExpression, ...rest }) => rest),
    'create Aloe, create Ficus',
    { faults: 0 },
  ],
  'a put without its nonce': [
    altered('PutItem', ({ Item, ...rest }) => ({ ...rest, Item: { ...Object(Item), nonce: {} } })),
    'create Aloe',
  ],
  'a put sent again after a lost response': [resendLostPuts, 'create Aloe, delete'],
  'a list that may be stale': [
    altered('Query', ({ ConsistentRead, ...rest }) => rest),
    'create Aloe, list',
    { faults: 0 },
  ],
  'a delete that timed out and is treated as reset': [
    mistaken((reply) => (reply === 'ETIMEDOUT' ? 'ECONNRESET' : reply)),
    'create Aloe, delete',
  ],
  'a delete that returns 404 because its response was lost': [
    mistaken((reply, { name }) => (name === 'DeleteItem' && isLost(reply) ? notFound : reply)),
    'delete, list',
    { present: true },
  ],
  'a 5xx treated as a rejection': [
    mistaken((reply) => (typeof reply !== 'string' && isLost(reply) ? throttled : reply)),
    'create Aloe, delete',
    { everyError: true },
  ],
  'a throttled write treated as unknown': [
    mistaken((reply) => (isThrottled(reply) ? 'ECONNRESET' : reply)),
    'create Aloe',
  ],
};
