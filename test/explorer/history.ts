/** What a caller can ask about the one id that is explored. */
export const operations = ['create Aloe', 'create Ficus', 'delete', 'list'] as const;
export type Operation = (typeof operations)[number];

/** A call as its caller saw it. */
export interface Call {
  operation: Operation;
  /** The status of the answer, and the names that a list showed. */
  status: number;
  listed: string;
  /** The steps in which its first and its last request reached the database, and how many did. */
  begin: number;
  end: number;
  requests: number;
  /** What became of its requests that were not answered as usual. */
  faults: string[];
  /** Whether a write of it took effect and its answer got lost. */
  tookEffect: boolean;
}

/** The name of the plant that is there. */
type State = string | undefined;

const isInDoubt = (fault: string) => /^(lost|done|late)/.test(fault);

/**
 * Says how a history breaks the contract. It holds if `before` leads to `after` in some order of
 * the calls.
 */
export function violation(calls: Call[], before: State, after: State): string | undefined {
  for (const { operation, status, begin, end, requests, faults, tookEffect } of calls) {
    if (status !== 503) continue;
    if (!faults.some(isInDoubt)) return `${operation}: 503, though no write was in doubt.`;
    // After a timeout, a delete cannot know that it arrived.
    const isKnown = tookEffect && !(operation === 'delete' && faults.includes('done-timeout'));
    if (isKnown && end - begin + 1 === requests)
      return `${operation}: 503, though its own outcome was there to see.`;
  }
  return linearizes(calls, before, after) ? undefined : 'No order of the calls explains it.';
}

/**
 * Tells whether the calls have an order that keeps to time, with each answer right where it stands.
 */
function linearizes(calls: Call[], state: State, after: State): boolean {
  // A call that was answered 503 may take effect after its answer, or never.
  const answered = calls.filter(({ status }) => status !== 503);
  if (answered.length === 0 && state === after) return true;
  return calls.some((call) => {
    if (answered.some(({ end }) => end < call.begin)) return false;
    const others = calls.filter((other) => other !== call);
    return statesAfter(call, state).some((next) => linearizes(others, next, after));
  });
}

/** Returns the state after a call, or nothing if its answer is wrong in the state before it. */
function statesAfter({ operation, status, listed, faults }: Call, state: State): State[] {
  const only = (isRight: boolean, next: State) => (isRight ? [next] : []);
  if (operation === 'list') return only(status === 503 || listed === (state ?? ''), state);
  if (operation === 'delete') {
    if (status === 404) return only(state === undefined, state);
    // A delete whose answer got lost may say 204 where nothing was.
    const isRight = state !== undefined || status === 503 || faults.some(isInDoubt);
    return only(isRight && [204, 503].includes(status), undefined);
  }
  const name = operation.slice('create '.length);
  if (status === 503) return [state ?? name];
  if (status === 201) return only(state === undefined, name);
  if (status === 200) return only(state === name, state);
  return only(status === 409 && state !== undefined && state !== name, state);
}
