import type { MakeCall, Request } from './calls.ts';
import { type Call, type Operation, violation } from './history.ts';
import {
  type Answer,
  type Command,
  isWrite,
  itemModel,
  type Model,
  type Reply,
  refusal,
} from './model.ts';

/** Calls that act at once on one id, under which there is a plant named Aloe or none. */
export interface Scenario {
  calls: Operation[];
  present: boolean;
  faults: number;
  everyError: boolean;
  schedule?: string[];
}

/** What a sender sees of a request that never arrives, is done all the same, or arrives later. */
const faults: Record<string, Reply> = {
  'lost-reset': 'ECONNRESET',
  'lost-timeout': 'ETIMEDOUT',
  'lost-500': refusal(500, 'InternalServerError'),
  'lost-refused': 'ECONNREFUSED',
  'lost-throttled': refusal(400, 'ThrottlingException'),
  'done-reset': 'ECONNRESET',
  'done-timeout': 'ETIMEDOUT',
  'done-500': refusal(500, 'InternalServerError'),
  'lost-empty': { status: 200, body: '' },
  'done-empty': { status: 200, body: '' },
  'done-garbled': { status: 200, body: '{' },
  'late-timeout': 'ETIMEDOUT',
};
const mainFaults = ['lost-reset', 'lost-throttled', 'done-reset', 'late-timeout'];

const hasBegun = ({ arrivals }: Call) => arrivals.length > 0;
/** A call in progress. Until it ends, a request of it waits for its fate. */
type Running = Call & { progress: ReturnType<MakeCall>; request?: Request | undefined };

const aloe = { owner: { S: 'alice' }, id: { N: '7' }, name: { S: 'Aloe' }, tag: { S: '' } };

/** What came of a schedule. */
interface Explored {
  /** What the calls did that they must not do, if anything. */
  broken: string | undefined;
  schedule: string[];
  /** The beginnings of the schedules that other choices lead to. */
  others: string[][];
}

/** Runs one schedule. Beyond the given steps, it takes the first and returns the other choices. */
export async function run(makeCall: MakeCall, scenario: Scenario): Promise<Explored> {
  const model = itemModel(scenario.present ? aloe : undefined);
  const before = model.plant();
  const late: Command[] = [];
  const calls = scenario.calls.map((operation): Running => {
    const answer = { status: 0, body: '', tookEffect: false };
    return { operation, ...answer, arrivals: [], faults: [], progress: makeCall(operation) };
  });
  await Promise.all(calls.map(proceed));
  const schedule: string[] = [];
  const others: string[][] = [];
  for (;;) {
    const ofCalls = calls.flatMap((call, i) => {
      const fates = possibleFates(scenario, calls, call, schedule.at(-1)?.startsWith(`${i}:`));
      return fates.map((fate) => `${i}:${call.request?.command.name}:${fate}`);
    });
    const possible = [...ofCalls, ...late.map(({ name }, i) => `late:${name}:${i}`)];
    const given = scenario.schedule?.[schedule.length];
    const step = given ?? possible[0];
    if (step === undefined) {
      break;
    }
    if (!possible.includes(step)) {
      throw new Error(`${step} is not one of ${possible}.`);
    }
    if (!given) {
      others.push(...possible.slice(1).map((other) => [...schedule, other]));
    }
    const [who, , fate = ''] = step.split(':');
    const call = calls[Number(who)];
    if (call) {
      await meet(call, fate, schedule.length, model, late);
    } else {
      model.answer(late.splice(Number(fate), 1)[0] as Command);
    }
    schedule.push(step);
  }
  return { broken: violation(calls, before, model.plant()), schedule, others };
}

/** Returns what can become of a call's request, without what makes no difference. */
function possibleFates(scenario: Scenario, calls: Running[], call: Running, wasLast = false) {
  const { command } = call.request ?? {};
  if (!command) {
    return [];
  }
  // Of equal calls, the first begins.
  const equal = calls.filter(({ operation }) => operation === call.operation);
  const canArrive = hasBegun(call) || call === equal.find((one) => one.request && !hasBegun(one));
  const canBeStale = !isWrite(command) && command.parameters.ConsistentRead !== true;
  const fates = canArrive ? ['ok', ...(canBeStale ? ['stale'] : [])] : [];
  if (calls.flatMap((one) => one.faults).length === scenario.faults) {
    return fates;
  }
  const possible = (scenario.everyError ? Object.keys(faults) : mainFaults).filter((fault) =>
    // A request is lost right after it was sent. To a reader, a lost answer is like a lost request.
    fault.startsWith('lost') ? wasLast || !calls.some(hasBegun) : canArrive && isWrite(command),
  );
  return [...fates, ...possible];
}

/** Lets a call's request meet its fate, and waits for the call's next request or its end. */
async function meet(call: Running, fate: string, step: number, model: Model, late: Command[]) {
  const { command, reply } = call.request as Request;
  const fault = faults[fate];
  if (fault) {
    call.faults.push(fate);
  }
  if (!fate.startsWith('lost')) {
    call.arrivals.push(step);
  }
  if (fate.startsWith('late')) {
    late.push(command);
  }
  const seen = /^(lost|late)/.test(fate) ? undefined : model.answer(command, fate === 'stale');
  call.tookEffect ||= fault !== undefined && isWrite(command) && seen?.status === 200;
  reply(fault ?? (seen as Answer));
  await proceed(call);
}

const proceed = async (call: Running) => Object.assign(call, (await call.progress.next()).value);
