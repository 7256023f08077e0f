import type { DatabaseCommand, Reply } from '../model.ts';
import { altered, current, noItems } from '../running-calls.ts';
import type { Interceptor, PlantedFault } from '../subject.ts';

/** Removes a part of the condition of the commands with this name. */
const without = (name: string, part: string | RegExp): Interceptor =>
  altered(name, (parameters) => ({
    ...parameters,
    ConditionExpression: `${parameters.ConditionExpression}`.replace(part, '') || undefined,
  }));

const held = new WeakMap<object, DatabaseCommand>();

/** Shows the token of a rotation after the update of the old one. */
const showLate: Interceptor = async (command, send) => {
  const call = current();
  if (command.name === 'Show' && call.operation.startsWith('rotate')) {
    held.set(call, command);
    return { status: 200, body: {} };
  }
  const reply = await send(command);
  const show = held.get(call);
  if (command.name !== 'UpdateItem' || !show || !hasSucceeded(reply)) {
    return reply;
  }
  const shown = await send(show);
  return typeof shown === 'string' ? shown : reply;
};

const hasSucceeded = (reply: Reply) => typeof reply === 'object' && reply.status === 200;

/** Makes the last list of an erasure find nothing. */
const overlook: Interceptor = async (command, send) => {
  const reply = await send(command);
  if (command.name === 'DeleteItem') {
    deleting.add(current());
  }
  return command.name === 'Scan' && deleting.has(current()) ? noItems : reply;
};

const deleting = new WeakSet<object>();

/** Sends a put again after an unknown outcome. */
const sendAgain: Interceptor = async (command, send) => {
  const reply = await send(command);
  return command.name === 'PutItem' && reply === 'ECONNRESET' ? send(command) : reply;
};

/** Faults, with the calls that show them. */
export const plantedFaults: Record<string, PlantedFault> = {
  'an issue that overwrites': {
    fault: without('PutItem', 'attribute_not_exists(id)'),
    calls: ['issue taken'],
    faults: 0,
    present: true,
  },
  'a revocation that makes a record': {
    fault: without('UpdateItem', /^attribute_exists\(id\)( AND )?/),
    calls: ['erase', 'revoke old'],
    faults: 0,
    present: true,
  },
  'a rotation that changes a revoked token': {
    fault: without('UpdateItem', 'attribute_not_exists(revoked) AND '),
    calls: ['rotate 0', 'revoke old'],
    faults: 0,
    present: true,
  },
  'a rotation that puts an end off': {
    fault: without('UpdateItem', / AND \(attribute_not_exists\(expires\).*/),
    calls: ['rotate 0', 'rotate 1h'],
    faults: 0,
    present: true,
  },
  'a rotation that shows its token after the update': {
    fault: showLate,
    calls: ['rotate 0'],
    faults: 2,
    present: true,
  },
  'an erasure that does not look again': {
    fault: overlook,
    calls: ['issue', 'erase'],
    faults: 0,
    present: true,
  },
  'a put that is sent again': {
    fault: sendAgain,
    calls: ['issue', 'erase'],
    faults: 1,
    present: true,
  },
  'an authorizer that may read the past': {
    fault: altered('GetItem', ({ ConsistentRead, ...rest }) => rest),
    calls: ['revoke old', 'authorize old'],
    faults: 0,
    present: true,
  },
};
