import type { Call } from './history.ts';
import type { Reply } from './model.ts';

/** A call that has ended, with the replies to its commands. */
export interface EndedCall extends Call {
  replies: Reply[];
  /** Whether its write took effect after its response. */
  tookEffectLater: boolean;
}

/** States of a call that schedules must reach: those that they miss, they prove nothing about. */
export const states: Record<string, (call: EndedCall) => boolean> = {
  'a create lost its response and found its own plant': (call) =>
    isCreate(call) && lostResponse(call) && call.status === 201,
  "a create lost its response and found another caller's plant": (call) =>
    isCreate(call) && lostResponse(call) && call.status === 503 && foundPlant(call),
  'a create lost its response and found that its plant was deleted': (call) =>
    isCreate(call) && lostResponse(call) && call.status === 503 && !foundPlant(call),
  'a delete lost its response and found no plant': (call) =>
    isDelete(call) && lostResponse(call) && call.status === 204,
  "a delete lost its response and found another caller's plant": (call) =>
    isDelete(call) && lostResponse(call) && call.status === 503 && foundPlant(call),
  'a create that was throttled succeeded': (call) =>
    isCreate(call) && call.faults.includes('lost-throttled') && call.status === 201,
  'a delete that was throttled succeeded': (call) =>
    isDelete(call) && call.faults.includes('lost-throttled') && call.status === 204,
  'a create took effect after its 503': (call) => isCreate(call) && call.tookEffectLater,
  'a delete took effect after its 503': (call) => isDelete(call) && call.tookEffectLater,
};

const isCreate = ({ operation }: EndedCall) => operation.startsWith('create');
const isDelete = ({ operation }: EndedCall) => operation === 'delete';
const lostResponse = ({ faults }: EndedCall) => faults.includes('done-reset');

function foundPlant({ replies }: EndedCall): boolean {
  const last = replies.at(-1);
  return typeof last === 'object' && typeof last.body === 'object' && last.body.Item !== undefined;
}
