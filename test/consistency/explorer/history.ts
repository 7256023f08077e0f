/** What a caller can ask about the one id that is explored. */
export const operations = ['create Aloe', 'create Ficus', 'delete', 'list'] as const;
export type Operation = (typeof operations)[number];
/** The name of the plant that is there. */
type State = string | undefined;

/** A call that was answered. */
export interface Answered {
  /** An operation, with the name of the plant if it is a create. */
  operation: string;
  status: number;
  body: string;
  /** Moments in order. The call took effect at the first, at the last, or in between. */
  arrivals: number[];
  /** The faults that its requests met. */
  faults: string[];
}

/** A call as its caller saw it, and what became of its requests. */
export interface Call extends Answered {
  operation: Operation;
  /** Whether a write of it took effect and its answer got lost. */
  tookEffect: boolean;
}

/** Returns how a history between two states breaks the contract, if it does. */
export function violation(calls: Call[], before: State, after: State): string | undefined {
  for (const call of calls.filter(({ status }) => status === 503)) {
    if (!isInDoubt(call)) {
      return `${call.operation}: 503, though no write was in doubt.`;
    }
    if (couldKnow(call)) {
      return `${call.operation}: 503, though it could see its own outcome.`;
    }
  }
  const answers = calls.map(({ operation, status }) => `${operation}: ${status}`).join(', ');
  return linearizes(calls, before, after) ? undefined : `No order explains ${answers}.`;
}

// A request that was throttled or whose connection was refused surely had no effect.
const isInDoubt = ({ faults }: Answered) =>
  faults.some((fault) => fault !== 'lost-throttled' && fault !== 'lost-refused');

function couldKnow({ operation, arrivals, faults, tookEffect }: Call): boolean {
  // After a timeout, a delete cannot know that it arrived.
  if (operation === 'delete' && faults.includes('done-timeout')) {
    return false;
  }
  return tookEffect && arrivals.every((step, i) => step === Number(arrivals[0]) + i);
}

/** Tells whether an order of the calls keeps to time, explains the answers and ends in `after`. */
export function linearizes(calls: Answered[], before: State, after: State): boolean {
  const inVain = new Set<string>();
  const numbers = new Map(calls.map((call, i) => [call, i]));
  const search = (left: Answered[], state: State): boolean => {
    // A call that was answered 503 may take effect after its answer, or never.
    const answered = left.filter(({ status }) => status !== 503);
    if (answered.length === 0 && state === after) {
      return true;
    }
    const tried = `${left.map((call) => numbers.get(call))} ${state}`;
    if (inVain.has(tried)) {
      return false;
    }
    inVain.add(tried);
    const firstEnd = Math.min(...answered.map(({ arrivals }) => Math.max(...arrivals)));
    return left.some((call) => {
      if (firstEnd < Math.min(...call.arrivals)) {
        return false;
      }
      const others = left.filter((other) => other !== call);
      return statesAfter(call, state).some((next) => search(others, next));
    });
  };
  // A call that was surely refused had no effect.
  const effective = calls.filter((call) => call.status !== 503 || isInDoubt(call));
  return search(effective, before);
}

/** Returns the state after a call, or nothing if its answer is wrong in the state before it. */
function statesAfter(call: Answered, state: State): State[] {
  const [kind, name] = call.operation.split(' ');
  const plants = state === undefined ? [] : [{ name: state, tag: '' }];
  const answers: Record<string, [isRight: boolean, next: State]> = {
    'create 201': [state === undefined, name],
    'create 200': [state === name, state],
    'create 409': [state !== undefined && state !== name, state],
    'create 503': [true, state ?? name],
    // A delete whose answer got lost may say 204 where nothing was.
    'delete 204': [state !== undefined || isInDoubt(call), undefined],
    'delete 404': [state === undefined, undefined],
    'delete 503': [true, undefined],
    'list 200': [call.body === JSON.stringify(plants), state],
    'list 503': [true, state],
  };
  const [isRight, next] = answers[`${kind} ${call.status}`] ?? [false];
  return isRight ? [next] : [];
}
