import type { Operation } from '../../../../functions/shared/operations.ts';
import { makeFields } from '../../../support/plant.ts';
import type { Store } from '../model.ts';
import type { Call, History } from '../subject.ts';

/** The name of the stored plant, or undefined if there is none. */
type State = string | undefined;

const readState = (store: Store | undefined): State => store?.get('7')?.name?.S;

/** Returns how a history breaks the contract, if it does. */
export function violation({ calls, stores }: History): string | undefined {
  for (const call of calls.filter(({ status }) => status === 503)) {
    if (!isUnknown(call)) {
      return `${call.operation}: 503, although no outcome was unknown.`;
    }
    if (couldKnow(call)) {
      return `${call.operation}: 503, although the call could see its own outcome.`;
    }
  }
  const responses = calls.map(({ operation, status }) => `${operation}: ${status}`).join(', ');
  const [before, after] = [readState(stores[0]), readState(stores.at(-1))];
  return linearizes(calls, before, after) ? undefined : `No order explains ${responses}.`;
}

// A throttled request and a refused connection have no effect.
const isUnknown = ({ faults }: Call) =>
  faults.some((fault) => fault !== 'lost-throttled' && fault !== 'lost-refused');

function couldKnow({ operation, arrivals, faults, tookEffect }: Call): boolean {
  // After a timeout, a delete cannot know whether it arrived.
  if (operation === 'deletePlant' && faults.includes('done-timeout')) {
    return false;
  }
  return tookEffect && arrivals.every((step, i) => step === Number(arrivals[0]) + i);
}

/**
 * Returns whether an order of the calls respects their times, explains their responses and ends in
 * the state `after`.
 */
function linearizes(calls: Call[], before: State, after: State): boolean {
  // A call that returned 503 may take effect later, or never.
  const succeeded = calls.filter(({ status }) => status !== 503);
  if (succeeded.length === 0 && before === after) {
    return true;
  }
  const firstEnd = Math.min(...succeeded.map(({ arrivals }) => Math.max(...arrivals)));
  return calls
    .filter(({ arrivals }) => Math.min(...arrivals) <= firstEnd)
    .some((call) => {
      const others = calls.filter((other) => other !== call);
      return statesAfter(call, before).some((state) => linearizes(others, state, after));
    });
}

/** Returns the state after a call, or an empty array if its response is wrong in this state. */
function statesAfter(call: Call, state: State): State[] {
  const [operation, name] = call.operation.split(' ') as [Operation, string?];
  const plants = state === undefined ? [] : [makeFields(state)];
  const responses: Record<Operation, Record<number, [isRight: boolean, next: State]>> = {
    createPlant: {
      201: [state === undefined, name],
      200: [state === name, state],
      409: [state !== undefined && state !== name, state],
      503: [true, state ?? name],
    },
    listPlants: {
      200: [call.body === JSON.stringify(plants), state],
      503: [true, state],
    },
    deletePlant: {
      // A delete whose response was lost may return 204 where nothing was.
      204: [state !== undefined || isUnknown(call), undefined],
      404: [state === undefined, undefined],
      503: [true, undefined],
    },
  };
  const [isRight, next] = responses[operation][call.status] ?? [false];
  return isRight ? [next] : [];
}
