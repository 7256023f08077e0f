import type { Call, IsReached } from '../subject.ts';

/** States that schedules must reach, by the operation that writes. */
export const states = {
  createPlant: {
    'a create lost its response and found its own plant': (call) =>
      isCreate(call) && lostResponse(call) && call.status === 201,
    "a create lost its response and found another caller's plant": (call) =>
      isCreate(call) && lostResponse(call) && call.status === 503 && foundPlant(call),
    'a create lost its response and found that its plant was deleted': (call) =>
      isCreate(call) && lostResponse(call) && call.status === 503 && !foundPlant(call),
    'a create that was throttled succeeded': (call) =>
      isCreate(call) && call.faults.includes('lost-throttled') && call.status === 201,
    'a create took effect after its 503': (call) => isCreate(call) && call.tookEffectLater,
  },
  deletePlant: {
    'a delete lost its response and found no plant': (call) =>
      isDelete(call) && lostResponse(call) && call.status === 204,
    "a delete lost its response and found another caller's plant": (call) =>
      isDelete(call) && lostResponse(call) && call.status === 503 && foundPlant(call),
    'a delete that was throttled succeeded': (call) =>
      isDelete(call) && call.faults.includes('lost-throttled') && call.status === 204,
    'a delete took effect after its 503': (call) => isDelete(call) && call.tookEffectLater,
  },
} satisfies Record<string, Record<string, IsReached>>;

const isCreate = ({ operation }: Call) => operation.startsWith('createPlant ');
const isDelete = ({ operation }: Call) => operation === 'deletePlant';
const lostResponse = ({ faults }: Call) => faults.includes('done-reset');

function foundPlant({ requests }: Call): boolean {
  const last = requests.at(-1)?.reply;
  return typeof last === 'object' && typeof last.body === 'object' && last.body.Item !== undefined;
}
