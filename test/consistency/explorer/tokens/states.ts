import type { Item } from '../model.ts';
import type { Call, History, IsReached } from '../subject.ts';
import { findNamedToken, findToken } from './calls.ts';

/** States that schedules must reach, by the command that writes. */
export const states = {
  issue: {
    'an issue lost the response to its put and found its token': (call) =>
      isOf('issue', call) && call.tookEffect && call.status === 0,
    'a revocation overtook the put of its token': (call) =>
      isOf('issue', call) && call.tookEffect && findItem(call, 'GetItem')?.revoked !== undefined,
    'an erasure overtook the put of its token': (call) =>
      isOf('issue', call) && call.tookEffect && call.status === 1 && !findItem(call, 'GetItem'),
    'a put arrived after its command had ended': (call) =>
      isOf('issue', call) && call.tookEffectLater,
    'an issue found its id taken': (call) =>
      isOf('issue', call) && call.body.startsWith('ConditionalCheckFailed'),
    'a token was issued, and its reader had gone': (call) =>
      isOf('issue', call) && call.faults.includes('broken-pipe'),
  },
  rotate: {
    'a rotation found its token revoked': (call) => call.body.includes('was revoked during'),
    'a rotation found its token erased': (call) => call.body.includes('was erased during'),
    'a rotation found a sooner end': (call) =>
      isOf('rotate', call) && call.status === 0 && call.requests.at(-1)?.command.name === 'GetItem',
    "a rotation lost its update's response twice": (call) =>
      isOf('rotate', call) && call.body.includes('may still work until'),
    'an update arrived after its rotation had ended': (call) =>
      isOf('rotate', call) && call.tookEffectLater && call.body.includes('may still work until'),
    'a rotation had no reader, and left its old token': (call, { stores }) =>
      isOf('rotate', call) &&
      call.faults.includes('broken-pipe') &&
      stores.at(-1)?.get(findToken().id) === stores[0]?.get(findToken().id),
  },
  revoke: {
    'a put arrived after the revocation of its id': (call, { calls }) =>
      call.operation === 'revoke new' &&
      call.body.startsWith('There is no token') &&
      calls[0]?.tookEffectLater === true,
    'a revocation sent its update again': (call) =>
      isOf('revoke', call) && call.tookEffect && call.status === 0,
    'a revocation found its token erased at its second update': (call) =>
      isOf('revoke', call) && call.tookEffect && call.body.startsWith('There is no token'),
    'a revocation of unknown outcome arrived later': (call) =>
      isOf('revoke', call) && call.tookEffectLater && call.status === 1,
  },
  erase: {
    'the second list of an erasure found a token': (call) => call.body.includes(' again. '),
    'an erasure sent a delete again': (call) =>
      isOf('erase', call) && call.tookEffect && call.status === 0,
    'an erasure ended with a delete of unknown outcome': (call) =>
      call.body.startsWith('The outcome of 1 write is unknown'),
    'a scan had a second page': (call) =>
      isOf('erase', call) &&
      call.requests.some(({ command }) => command.parameters.ExclusiveStartKey),
  },
  authorize: {
    'an authorizer accepted a token by a cached policy after its revocation': (call, history) =>
      call.body === 'allowed, allowed' && findAtEnd(call, history)?.revoked !== undefined,
    'an authorizer accepted an erased token by a cached policy': (call, history) =>
      call.body === 'allowed, allowed' && !findAtEnd(call, history),
    'an authorizer refused a token when its cached policy ended': (call, { seconds }) =>
      call.body === 'allowed, UNAUTHORIZED' && seconds.at(-1) === 60,
    'a rotated token worked until just before the end of the overlap': (call, history) =>
      isOverlapOver(call, history, 3599) && call.body === 'allowed, allowed',
    'a rotated token ended with the overlap': (call, history) =>
      isOverlapOver(call, history, 3600) && call.body === 'UNAUTHORIZED, UNAUTHORIZED',
  },
} satisfies Record<string, Record<string, IsReached>>;

const isOf = (kind: string, { operation }: Call) => operation.split(' ')[0] === kind;

/** Returns the item in the last reply to a command. */
function findItem({ requests }: Call, name: string): Item | undefined {
  const last = requests.findLast(({ command }) => command.name === name)?.reply;
  return Object(Object(last).body).Item;
}

const findAtEnd = ({ operation, requests }: Call, { stores }: History): Item | undefined =>
  stores[Number(requests.at(-1)?.step)]?.get(findNamedToken(operation).id);

/** Returns whether an authorizer began so many seconds after a rotation with an hour's overlap. */
function isOverlapOver(call: Call, { calls, seconds }: History, after: number): boolean {
  const [first] = calls;
  return (
    call.operation === 'authorize old' &&
    first?.operation === 'rotate 1h' &&
    first.status === 0 &&
    seconds[Number(first.requests.at(-1)?.step)] === 0 &&
    seconds[Number(call.requests[0]?.step)] === after
  );
}
