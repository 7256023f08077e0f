import {
  type DatabaseCommand,
  errorResponse,
  execute,
  isRead,
  isWrite,
  makeStore,
  type Reply,
  type Table,
} from './model.ts';
import type { FindNext, Next } from './running-calls.ts';
import type { Call, History, Subject } from './subject.ts';

/** Concurrent calls. Before them, the table has their subject or not. */
export interface Scenario {
  calls: string[];
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
  // The reader of a command's output has gone.
  'broken-pipe': 'EPIPE',
};
const allFaults = Object.keys(faults).filter((fault) => fault !== 'broken-pipe');
const mainFaults = ['lost-reset', 'lost-throttled', 'done-reset', 'late-timeout'];

const hasBegun = ({ arrivals }: Call) => arrivals.length > 0;

/** A call in progress. Until it ends, a request with its command waits for its fate. */
type Running = Call & {
  command?: DatabaseCommand | undefined;
  after?: (reply: Reply) => Promise<Next>;
};

/** A request that arrives after its sender stopped waiting. */
interface LateRequest {
  command: DatabaseCommand;
  /** The index of its call. */
  sender: number;
}

/** Where a schedule has got to. Never changed: schedules with the same beginning share it. */
interface Moment extends History {
  scenario: Scenario;
  calls: Running[];
  table: Table;
  late: LateRequest[];
  schedule: string[];
}

export function explorer(subject: Subject, findNext: FindNext) {
  /** Lets a call go on until it sends a command or ends. */
  async function proceed(call: Running): Promise<Running> {
    const reply = call.requests.at(-1)?.reply;
    const next = await (reply === undefined ? findNext(call.start) : call.after?.(reply));
    return { ...call, ...next };
  }

  async function begin(scenario: Scenario): Promise<Moment> {
    const calls = scenario.calls.map((operation, i) => makeCall(subject, operation, i));
    const store = makeStore(subject.stored(scenario.present));
    return {
      scenario,
      calls: await Promise.all(calls.map(proceed)),
      table: { store, previous: store },
      stores: [store],
      seconds: [0],
      late: [],
      schedule: [],
    };
  }

  async function take(moment: Moment, step: string): Promise<Moment> {
    const [who = '', , fate = ''] = step.split(':');
    const next = { ...moment, schedule: [...moment.schedule, step] };
    if (who === 'late') {
      arriveLate(next, Number(fate));
    } else if (who === 'clock') {
      await moveClock(next, Number(fate));
    } else {
      await meet(next, Number(who), fate);
    }
    next.stores = [...moment.stores, next.table.store];
    next.seconds = [...moment.seconds, who === 'clock' ? Number(fate) : readClock(moment)];
    return next;
  }

  /** Calls that no request has left yet begin now. */
  async function moveClock(moment: Moment, seconds: number): Promise<void> {
    const calls = moment.calls.map((call) =>
      call.requests.length > 0 ? call : proceed({ ...call, start: { ...call.start, seconds } }),
    );
    moment.calls = await Promise.all(calls);
  }

  /** Lets the request of a call meet its fate. */
  async function meet(moment: Moment, sender: number, fate: string): Promise<void> {
    const call = moment.calls[sender] as Running;
    const command = call.command as DatabaseCommand;
    const step = moment.stores.length - 1;
    const fault = faults[fate];
    const isLost = fate.startsWith('lost');
    const isLate = fate.startsWith('late');
    // A command that is not DynamoDB's gets the time.
    let reply: Reply = { status: 200, body: { seconds: readClock(moment) } };
    let { tookEffect } = call;
    if (isOfDatabase(command) && !isLost && !isLate) {
      const executed = execute(moment.table, command, fate === 'stale');
      moment.table = executed.table;
      reply = executed.response;
      tookEffect ||= fault !== undefined && isWrite(command) && executed.response.status === 200;
    }
    if (isLate) {
      moment.late = [...moment.late, { command, sender }];
    }
    const met = {
      ...call,
      tookEffect,
      faults: fault ? [...call.faults, fate] : call.faults,
      arrivals: isLost ? call.arrivals : [...call.arrivals, step],
      requests: [...call.requests, { command, step, reply: fault ?? reply }],
    };
    moment.calls = moment.calls.with(sender, await proceed(met));
  }

  /** The results of `findStall` by its input. Without them, exploring would take a third longer. */
  const stalls = new Map<string, Promise<string | undefined>>();

  /**
   * Makes every call once more after the last fault. Returns how one of them breaks the contract.
   */
  async function findStall(end: Moment): Promise<string | undefined> {
    const seconds = readClock(end);
    // No scenario has calls with such numbers, so that no random value occurs twice.
    const calls = subject.operations.map((one, i) => makeCall(subject, one, 100 + i, seconds));
    const { table, scenario } = end;
    let moment: Moment = {
      scenario: { ...scenario, faults: 0 },
      calls,
      table,
      stores: [table.store],
      seconds: [seconds],
      late: [],
      schedule: [],
    };
    for (const i of calls.keys()) {
      moment.calls = moment.calls.with(i, await proceed(moment.calls[i] as Running));
      for (let command = moment.calls[i]?.command; command; command = moment.calls[i]?.command) {
        moment = await take(moment, `${i}:${command.name}:ok`);
      }
    }
    const broken = subject.violation(moment);
    return broken && `After the last fault: ${broken}`;
  }

  /** Returns how the calls broke the contract until this moment, the last one, if they did. */
  async function findViolation(moment: Moment): Promise<string | undefined> {
    const broken = subject.violation(moment);
    if (broken) {
      return broken;
    }
    const key = JSON.stringify([readClock(moment), ...moment.table.store.values()]);
    const stall = stalls.get(key) ?? findStall(moment);
    stalls.set(key, stall);
    return stall;
  }

  return { begin, take, findViolation, findSteps: (moment: Moment) => findSteps(subject, moment) };
}

const readClock = ({ seconds }: History): number => Number(seconds.at(-1));
const isOfDatabase = (command: DatabaseCommand): boolean => isRead(command) || isWrite(command);

const makeCall = ({ makes }: Subject, operation: string, i: number, seconds = 0): Running => ({
  // A call that makes nothing at random does the same in each place, and need not be run again.
  start: { number: makes(operation) ? i : 99, operation, seconds },
  operation,
  status: 0,
  body: '',
  requests: [],
  arrivals: [],
  faults: [],
  tookEffect: false,
  tookEffectLater: false,
});

function arriveLate(moment: Moment, i: number): void {
  const { command, sender } = moment.late[i] as LateRequest;
  const call = moment.calls[sender] as Running;
  const { table } = execute(moment.table, command);
  const tookEffect = !call.command && table.store !== moment.table.store;
  moment.late = moment.late.toSpliced(i, 1);
  moment.table = table;
  if (tookEffect) {
    moment.calls = moment.calls.with(sender, { ...call, tookEffectLater: true });
  }
}

/** Returns the steps that are possible next: none if every call has ended. */
function findSteps({ jumps, losesReads }: Subject, moment: Moment): string[] {
  const { calls, late, schedule } = moment;
  const ofCalls = calls.flatMap((call, i) => {
    const fates = possibleFates(losesReads, moment, call, schedule.at(-1)?.startsWith(`${i}:`));
    return fates.map((fate) => `${i}:${call.command?.name}:${fate}`);
  });
  const isInProgress = ({ command, requests }: Running) =>
    command && requests.length > 0 && command.name !== 'Wait';
  const canJump =
    readClock(moment) === 0 &&
    ofCalls.length > 0 &&
    schedule.length > 0 &&
    !calls.some(isInProgress);
  return [
    ...ofCalls,
    ...late.map(({ command }, i) => `late:${command.name}:${i}`),
    ...(canJump ? jumps.map((seconds) => `clock:jump:${seconds}`) : []),
  ];
}

/** Returns the fates of a call's request that make a difference. */
function possibleFates(
  losesReads: boolean,
  { scenario, calls }: Moment,
  call: Running,
  wasLast = false,
): string[] {
  const { command } = call;
  if (!command) {
    return [];
  }
  // Equal calls begin in their order.
  const equal = calls.filter(({ operation }) => operation === call.operation);
  const canArrive = hasBegun(call) || call === equal.find((one) => one.command && !hasBegun(one));
  const canBeStale = isRead(command) && command.parameters.ConsistentRead !== true;
  const fates = canArrive ? ['ok', ...(canBeStale ? ['stale'] : [])] : [];
  if (calls.flatMap((one) => one.faults).length === scenario.faults || command.name === 'Wait') {
    return fates;
  }
  if (isRead(command) && !losesReads && !scenario.everyError) {
    return fates;
  }
  if (command.name === 'Show') {
    return [...fates, 'broken-pipe'];
  }
  const possible = (scenario.everyError ? allFaults : mainFaults).filter((fault) =>
    // A request is lost right after it was sent. To a reader, a lost response is a lost request.
    fault.startsWith('lost') ? wasLast || !calls.some(hasBegun) : canArrive && isWrite(command),
  );
  return [...fates, ...possible];
}
