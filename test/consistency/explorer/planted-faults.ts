import type { Fault } from './calls.ts';
import { type Command, isWrite, type Reply, refusal } from './model.ts';
import type { Scenario } from './schedules.ts';

const isLost = (reply: Reply) =>
  typeof reply === 'string' || typeof reply.body === 'string' || reply.status >= 500;

/** Sends other parameters in the commands of a name. */
const altered =
  (name: string, alter: (parameters: Command['parameters']) => Command['parameters']): Fault =>
  (command, send) =>
    send(command.name === name ? { name, parameters: alter(command.parameters) } : command);

/** Sends a write a second time if its answer is lost. */
const again =
  (name: string): Fault =>
  async (command, send) => {
    const reply = await send(command);
    return command.name === name && isLost(reply) ? send(command) : reply;
  };

/** Takes replies to some commands for others. */
const mistaken =
  (isMeant: (command: Command) => boolean, mistake: (reply: Reply) => Reply): Fault =>
  async (command, send) => {
    const reply = await send(command);
    return isMeant(command) ? mistake(reply) : reply;
  };

const isPut = ({ name }: Command) => name === 'PutItem';
const isDelete = ({ name }: Command) => name === 'DeleteItem';
const isGet = ({ name }: Command) => name === 'GetItem';
const nothing: Reply = { status: 200, body: {} };
const throttled = refusal(400, 'ThrottlingException');
const conflict = refusal(400, 'ConditionalCheckFailedException');
const present = { present: true };

/** Faults in creating, deleting and listing, each with the calls and the scenario that show it. */
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
  'a put sent again after a lost answer': [again('PutItem'), 'create Aloe, delete'],
  'a delete sent again after a lost answer': [again('DeleteItem'), 'create Ficus, delete', present],
  'a read that may be stale': [
    altered('GetItem', ({ ConsistentRead, ...rest }) => rest),
    'create Aloe, delete',
  ],
  'a list that may be stale': [
    altered('Query', ({ ConsistentRead, ...rest }) => rest),
    'create Aloe, list',
    { faults: 0 },
  ],
  'a read that finds nothing': [mistaken(isGet, () => nothing), 'delete, list', present],
  'a lost answer judged like a failed condition': [
    mistaken(isPut, (reply) => (isLost(reply) ? conflict : reply)),
    'create Aloe, create Aloe, delete',
  ],
  'a timed-out delete settled like a lost answer': [
    mistaken(isDelete, (reply) => (reply === 'ETIMEDOUT' ? 'ECONNRESET' : reply)),
    'create Aloe, delete',
  ],
  'a lost answer of a delete told as 404': [
    mistaken(isDelete, (reply) => (isLost(reply) ? nothing : reply)),
    'delete, list',
    present,
  ],
  'a 5xx taken for a refusal': [
    mistaken(isWrite, (reply) => (typeof reply !== 'string' && isLost(reply) ? throttled : reply)),
    'create Aloe, delete',
    { everyError: true },
  ],
  'a reset taken for a refused connection': [
    mistaken(isWrite, (reply) => (reply === 'ECONNRESET' ? 'ECONNREFUSED' : reply)),
    'create Ficus, delete',
    present,
  ],
};
