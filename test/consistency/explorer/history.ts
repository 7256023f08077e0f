import type { Operation as ApiOperation } from '../../../functions/shared/operations.ts';

/** The operations of the API by the first word of those below. */
export const explored = {
  list: 'listPlants',
  create: 'createPlant',
  delete: 'deletePlant',
} as const satisfies Record<string, ApiOperation>;

/** The operations to explore. All are about one id. */
export const operations = ['list', 'create Aloe', 'create Ficus', 'delete'] as const;
export type Operation = (typeof operations)[number];
/** The name of the stored plant, or undefined if there is none. */
type State = string | undefined;

/** A call that got a response. */
export interface FinishedCall {
  /** An operation. A create includes the plant's name. */
  operation: string;
  status: number;
  body: string;
  /** Moments in order. The call took effect at the first, at the last, or in between. */
  arrivals: number[];
  /** The faults that its requests met. */
  faults: string[];
}

/** A call as its caller saw it, and the fate of its requests. */
export interface Call extends FinishedCall {
  operation: Operation;
  /** Whether a write took effect and its response was lost. */
  tookEffect: boolean;
}

/** Returns how a history between two states breaks the contract, if it does. */
export function violation(calls: Call[], before: State, after: State): string | undefined {
  for (const call of calls.filter(({ status }) => status === 503)) {
    if (!isUnknown(call)) {
      return `${call.operation}: 503, although no outcome was unknown.`;
    }
    if (couldKnow(call)) {
      return `${call.operation}: 503, although the call could see its own outcome.`;
    }
  }
  const responses = calls.map(({ operation, status }) => `${operation}: ${status}`).join(', ');
  return linearizes(calls, before, after) ? undefined : `No order explains ${responses}.`;
}

// A throttled request and a refused connection have no effect.
const isUnknown = ({ faults }: FinishedCall) =>
  faults.some((fault) => fault !== 'lost-throttled' && fault !== 'lost-refused');

function couldKnow({ operation, arrivals, faults, tookEffect }: Call): boolean {
  // After a timeout, a delete cannot know whether it arrived.
  if (operation === 'delete' && faults.includes('done-timeout')) {
    return false;
  }
  return tookEffect && arrivals.every((step, i) => step === Number(arrivals[0]) + i);
}

/**
 * Returns whether an order of the calls respects their times, explains their responses and ends in
 * the state `after`.
 */
export function linearizes(calls: FinishedCall[], before: State, after: State): boolean {
  const failed = new Set<string>();
  const numbers = new Map(calls.map((call, i) => [call, i]));
  const search = (left: FinishedCall[], state: State): boolean => {
    // A call that returned 503 may take effect later, or never.
    const succeeded = left.filter(({ status }) => status !== 503);
    if (succeeded.length === 0 && state === after) {
      return true;
    }
    const tried = `${left.map((call) => numbers.get(call))} ${state}`;
    if (failed.has(tried)) {
      return false;
    }
    failed.add(tried);
    const firstEnd = Math.min(...succeeded.map(({ arrivals }) => Math.max(...arrivals)));
    const unknownOperations = new Set<string>();
    return left.some((call) => {
      if (firstEnd < Math.min(...call.arrivals)) {
        return false;
      }
      const next = statesAfter(call, state);
      if (call.status === 503) {
        // A busy machine makes many of these, and trying each subset would take for ever. A call
        // without an effect can be left out. Of one operation, the earliest stands for all.
        if (next.includes(state) || unknownOperations.has(call.operation)) {
          return false;
        }
        unknownOperations.add(call.operation);
      }
      const others = left.filter((other) => other !== call);
      return next.some((changed) => search(others, changed));
    });
  };
  // A call that surely failed had no effect.
  const effective = calls
    .filter((call) => call.status !== 503 || isUnknown(call))
    .sort((one, other) => Math.min(...one.arrivals) - Math.min(...other.arrivals));
  return search(effective, before);
}

/** Returns the state after a call, or an empty array if its response is wrong in this state. */
function statesAfter(call: FinishedCall, state: State): State[] {
  const [kind, name] = call.operation.split(' ');
  const plants = state === undefined ? [] : [{ name: state, tag: '' }];
  const responses: Record<string, [isRight: boolean, next: State]> = {
    'create 201': [state === undefined, name],
    'create 200': [state === name, state],
    'create 409': [state !== undefined && state !== name, state],
    'create 503': [true, state ?? name],
    // A delete whose response was lost may return 204 where nothing was.
    'delete 204': [state !== undefined || isUnknown(call), undefined],
    'delete 404': [state === undefined, undefined],
    'delete 503': [true, undefined],
    'list 200': [call.body === JSON.stringify(plants), state],
    'list 503': [true, state],
  };
  const [isRight, next] = responses[`${kind} ${call.status}`] ?? [false];
  return isRight ? [next] : [];
}
