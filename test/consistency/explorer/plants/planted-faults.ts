import { altered } from '../altered.ts';
import { errorResponse, isWrite, type Reply } from '../model.ts';
import type { Fault, PlantedFault } from '../subject.ts';

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
export const plantedFaults: Record<string, PlantedFault> = {
  'a put without its nonce': {
    fault: altered('PutItem', ({ Item, ...rest }) => ({
      ...rest,
      Item: { ...Object(Item), nonce: {} },
    })),
    calls: ['create Aloe'],
    faults: 1,
  },
  'a list that may be stale': {
    fault: altered('Query', ({ ConsistentRead, ...rest }) => rest),
    calls: ['create Aloe', 'list'],
    faults: 0,
  },
  'a delete that timed out and is treated as reset': {
    fault: mistaken((reply) => (reply === 'ETIMEDOUT' ? 'ECONNRESET' : reply)),
    calls: ['create Aloe', 'delete'],
    faults: 1,
  },
  'a put that no later call can read': {
    fault: altered('PutItem', ({ Item, ...rest }) => ({
      ...rest,
      Item: { ...Object(Item), tag: { N: '1' } },
    })),
    calls: ['create Aloe'],
    faults: 0,
  },
  'a throttled write treated as unknown': {
    fault: mistaken((reply) => (isThrottled(reply) ? 'ECONNRESET' : reply)),
    calls: ['create Aloe'],
    faults: 1,
  },
};
