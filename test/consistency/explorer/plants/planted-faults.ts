import { errorResponse, type Item, isWrite, type Reply } from '../model.ts';
import { altered, current } from '../running-calls.ts';
import type { Interceptor, PlantedFault } from '../subject.ts';
import { withContent } from './calls.ts';

/** Replaces replies to writes. */
const mistaken =
  (mistake: (reply: Reply) => Reply): Interceptor =>
  async (command, send) => {
    const reply = await send(command);
    return isWrite(command) ? mistake(reply) : reply;
  };

const throttled = errorResponse(400, 'ThrottlingException');
const isThrottled = (reply: Reply) => JSON.stringify(reply) === JSON.stringify(throttled);

/** The items that calls put. */
const puts = new WeakMap<object, Item>();

/** Gives an equal plant the nonce of the call that reads it. */
const comparesContents: Interceptor = async ({ name, parameters }, send) => {
  const call = current();
  if (name === 'PutItem') {
    puts.set(call, parameters.Item as Item);
  }
  const reply = await send({ name, parameters });
  const own = puts.get(call);
  if (name !== 'GetItem' || !own?.nonce || typeof reply === 'string') {
    return reply;
  }
  const { Item: stored } = Object(reply.body) as { Item?: Item };
  return stored?.name?.S === own.name?.S
    ? { ...reply, body: { Item: { ...stored, nonce: own.nonce } } }
    : reply;
};

/** Faults, one for each rule of `violation` and of the schedules, with the calls that show them. */
export const plantedFaults: Record<string, PlantedFault> = {
  'a put without its nonce': {
    fault: altered('PutItem', ({ Item, ...rest }) => ({
      ...rest,
      Item: { ...Object(Item), nonce: {} },
    })),
    calls: ['createPlant Aloe'],
    faults: 1,
  },
  'a list that may be stale': {
    fault: altered('Query', ({ ConsistentRead, ...rest }) => rest),
    calls: ['createPlant Aloe', 'listPlants'],
    faults: 0,
  },
  'a delete that timed out and is treated as reset': {
    fault: mistaken((reply) => (reply === 'ETIMEDOUT' ? 'ECONNRESET' : reply)),
    calls: ['createPlant Aloe', 'deletePlant'],
    faults: 1,
  },
  'a put that no later call can read': {
    fault: altered('PutItem', ({ Item, ...rest }) => ({
      ...rest,
      Item: { ...Object(Item), tag: { N: '1' } },
    })),
    calls: ['createPlant Aloe'],
    faults: 0,
  },
  'a throttled write treated as unknown': {
    fault: mistaken((reply) => (isThrottled(reply) ? 'ECONNRESET' : reply)),
    calls: ['createPlant Aloe'],
    faults: 1,
  },
  // An operation that stores content must find its own, and not an equal plant.
  ...Object.fromEntries(
    withContent.map((name) => [
      `a ${name} that treats an equal plant as its own`,
      {
        fault: comparesContents,
        calls: [`${name} Aloe`, `${name} Ficus`],
        faults: 1,
        present: true,
      },
    ]),
  ),
};
