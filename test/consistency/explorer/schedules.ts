import { makeItem } from '../../support/plant.ts';
import type { FindNext } from './calls.ts';
import { type Call, type Operation, operations, violation } from './history.ts';
import {
  type Command,
  type DatabaseResponse,
  errorResponse,
  type Item,
  isWrite,
  itemModel,
  type Model,
  type Reply,
} from './model.ts';
import type { EndedCall } from './states.ts';

/** Concurrent calls about one id. Before them, its plant is named Aloe or there is none. */
export interface Scenario {
  calls: Operation[];
  present: boolean;
  faults: number;
  everyError: boolean;
  schedule?: string[];
}

/**
 * The sender's view of a request that is lost, of one that is done, and of one that arrives late.
 */
const faults: Record<string, Reply> = {
  'lost-reset': 'ECONNRESET',
  'lost-timeout': 'ETIMEDOUT',
  'lost-500': errorResponse(500, 'InternalServerError'),
  'lost-refused': 'ECONNREFUSED',
  'lost-throttled': errorResponse(400, 'ThrottlingException'),
  'done-reset': 'ECONNRESET',
  'done-timeout': 'ETIMEDOUT',
  'done-500': errorResponse(500, 'InternalServerError'),
  'lost-empty': { status: 200, body: '' },
  'done-empty': { status: 200, body: '' },
  'done-garbled': { status: 200, body: '{' },
  'late-timeout': 'ETIMEDOUT',
};
const mainFaults = ['lost-reset', 'lost-throttled', 'done-reset', 'late-timeout'];

const hasBegun = ({ arrivals }: Call) => arrivals.length > 0;
/** A call in progress. Until it ends, a request with its command waits for its fate. */
type Running = EndedCall & { command?: Command | undefined };

/** A request that arrives after its sender stopped waiting. */
interface LateRequest {
  command: Command;
  call: Running;
}

const aloe = makeItem('alice', 7n, 'Aloe');

/** The result of a schedule. */
interface Explored {
  /** How the calls broke the contract, if they did. */
  broken: string | undefined;
  schedule: string[];
  /** The beginnings of the schedules with other choices. */
  others: string[][];
  /** The calls as they ended. */
  calls: EndedCall[];
}

/** Runs one schedule. After its given steps, takes each first choice and returns the others. */
export async function run(findNext: FindNext, scenario: Scenario): Promise<Explored> {
  const model = itemModel(scenario.present ? aloe : undefined);
  const before = model.plant();
  const late: LateRequest[] = [];
  const calls = scenario.calls.map(startCall);
  /** Lets a call go on until it sends a command or ends. */
  const proceed = async (call: Running) =>
    Object.assign(call, await findNext(calls.indexOf(call), call.operation, call.replies));
  await Promise.all(calls.map(proceed));
  const schedule: string[] = [];
  const others: string[][] = [];
  for (;;) {
    const ofCalls = calls.flatMap((call, i) => {
      const fates = possibleFates(scenario, calls, call, schedule.at(-1)?.startsWith(`${i}:`));
      return fates.map((fate) => `${i}:${call.command?.name}:${fate}`);
    });
    const possible = [...ofCalls, ...late.map(({ command }, i) => `late:${command.name}:${i}`)];
    const given = scenario.schedule?.[schedule.length];
    const step = given ?? possible[0];
    if (step === undefined) {
      break;
    }
    if (!possible.includes(step)) {
      throw new Error(
        `The step ${step} is not possible here. Choose one of ${possible.join(', ')}.`,
      );
    }
    if (!given) {
      others.push(...possible.slice(1).map((other) => [...schedule, other]));
    }
    const [who, , fate = ''] = step.split(':');
    const call = calls[Number(who)];
    if (call) {
      meet(call, fate, schedule.length, model, late);
      await proceed(call);
    } else {
      const [request] = late.splice(Number(fate), 1);
      arriveLate(request as LateRequest, model);
    }
    schedule.push(step);
  }
  const broken =
    violation(calls, before, model.plant()) ?? (await findStall(findNext, model.item()));
  return { broken, schedule, others, calls };
}

/** The results of `findStall` by item. Without them, exploring would take a third longer. */
const stalls = new Map<string, Promise<string | undefined>>();

/**
 * Calls every operation once more after the last fault, with this item in the table. Each call must
 * succeed, and the list must agree with the table. Returns how one of them does not.
 */
function findStall(findNext: FindNext, item: Item | undefined): Promise<string | undefined> {
  const key = JSON.stringify(item) ?? '';
  const stall = stalls.get(key) ?? callEveryOperation(findNext, itemModel(item));
  stalls.set(key, stall);
  return stall;
}

async function callEveryOperation(findNext: FindNext, model: Model): Promise<string | undefined> {
  const before = model.plant();
  const calls = operations.map(startCall);
  for (const [i, call] of calls.entries()) {
    // No scenario has a call with this number, so that no nonce occurs twice.
    const number = 100 + i;
    const proceed = async () =>
      Object.assign(call, await findNext(number, call.operation, call.replies));
    for (await proceed(); call.command; await proceed()) {
      meet(call, 'ok', i, model, []);
    }
  }
  const broken = violation(calls, before, model.plant());
  return broken && `After the last fault: ${broken}`;
}

const startCall = (operation: Operation): Running => ({
  operation,
  status: 0,
  body: '',
  arrivals: [],
  faults: [],
  tookEffect: false,
  tookEffectLater: false,
  replies: [],
});

function arriveLate({ command, call }: LateRequest, model: Model): void {
  const before = model.item();
  model.execute(command);
  call.tookEffectLater ||= call.status === 503 && model.item() !== before;
}

/** Returns the fates of a call's request that make a difference. */
function possibleFates(scenario: Scenario, calls: Running[], call: Running, wasLast = false) {
  const { command } = call;
  if (!command) {
    return [];
  }
  // Equal calls begin in their order.
  const equal = calls.filter(({ operation }) => operation === call.operation);
  const canArrive = hasBegun(call) || call === equal.find((one) => one.command && !hasBegun(one));
  const canBeStale = !isWrite(command) && command.parameters.ConsistentRead !== true;
  const fates = canArrive ? ['ok', ...(canBeStale ? ['stale'] : [])] : [];
  if (calls.flatMap((one) => one.faults).length === scenario.faults) {
    return fates;
  }
  const possible = (scenario.everyError ? Object.keys(faults) : mainFaults).filter((fault) =>
    // A request is lost right after it was sent. To a reader, a lost response is a lost request.
    fault.startsWith('lost') ? wasLast || !calls.some(hasBegun) : canArrive && isWrite(command),
  );
  return [...fates, ...possible];
}

/** Lets a call's request meet its fate. */
function meet(call: Running, fate: string, step: number, model: Model, late: LateRequest[]) {
  const command = call.command as Command;
  const fault = faults[fate];
  if (fault) {
    call.faults.push(fate);
  }
  if (!fate.startsWith('lost')) {
    call.arrivals.push(step);
  }
  if (fate.startsWith('late')) {
    late.push({ command, call });
  }
  const response = /^(lost|late)/.test(fate) ? undefined : model.execute(command, fate === 'stale');
  call.tookEffect ||= fault !== undefined && isWrite(command) && response?.status === 200;
  call.replies.push(fault ?? (response as DatabaseResponse));
}
