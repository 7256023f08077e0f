import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { proxyEvent } from '../http/event.ts';
import { type Call, type Operation, operations, violation } from './history.ts';
import { type Answer, type Command, isWrite, itemModel, refusal } from './model.ts';

/** Calls that act at once on one id, under which there is a plant named Aloe or none. */
export interface Scenario {
  calls: Operation[];
  present: boolean;
  faults: number;
  /** Whether each fault comes with every kind of error, or with one. */
  everyError: boolean;
  /** The steps to take. Beyond them, and without them, all possible ones are explored. */
  schedule?: string[];
}

/** What becomes of a request: when it arrives, and what its sender sees in place of the answer. */
interface Fate {
  arrives: 'now' | 'later' | 'never';
  /** The code of an error, or another answer. */
  seen?: string | Answer;
}
const internalError = refusal(500, 'InternalServerError');
const fates: Record<string, Fate> = {
  ok: { arrives: 'now' },
  stale: { arrives: 'now' },
  'lost-reset': { arrives: 'never', seen: 'ECONNRESET' },
  'done-reset': { arrives: 'now', seen: 'ECONNRESET' },
  late: { arrives: 'later', seen: 'ETIMEDOUT' },
  throttled: { arrives: 'never', seen: refusal(400, 'ThrottlingException') },
  'lost-timeout': { arrives: 'never', seen: 'ETIMEDOUT' },
  'lost-500': { arrives: 'never', seen: internalError },
  refused: { arrives: 'never', seen: 'ECONNREFUSED' },
  'done-timeout': { arrives: 'now', seen: 'ETIMEDOUT' },
  'done-500': { arrives: 'now', seen: internalError },
  'done-garbled': { arrives: 'now', seen: { status: 200, body: '{' } },
};
const good = ['ok', 'stale'];

function fatesOf(command: Command, isNew: boolean, everyError: boolean): string[] {
  const isSureToSee = isWrite(command) || command.parameters.ConsistentRead === true;
  const bad = Object.keys(fates).slice(2, everyError ? undefined : 6);
  const differing = bad.filter((fate) =>
    // When a request is lost makes no difference, nor whether a read is lost or its answer.
    fates[fate]?.arrives === 'never' ? isNew : isWrite(command),
  );
  return [...good.slice(0, isSureToSee ? 1 : 2), ...differing];
}

/** Loads the functions of a folder, for calls whose requests a schedule decides on. */
export async function loadFunctions(folder: string) {
  const credentials = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' };
  Object.assign(process.env, { AWS_REGION: 'here', PLANTS_TABLE: 'Plants', ...credentials });
  Object.assign(console, { info() {}, error() {} });
  // Time is virtual: a pause ends at once, because the schedule alone orders the requests.
  globalThis.setTimeout = ((go: () => void) => setImmediate(go)) as never;
  // Retries use up a budget of the client, which would carry over from schedule to schedule.
  Object.assign(StandardRetryStrategy.prototype, { getCapacityCost: () => 0 });
  const callers = new AsyncLocalStorage<(command: Command) => Promise<Answer>>();
  NodeHttpHandler.prototype.handle = async ({ headers, body }) => {
    const name = headers['x-amz-target']?.split('.')[1] ?? '';
    const answer = await callers.getStore()?.({
      name,
      parameters: JSON.parse(new TextDecoder().decode(body)),
    });
    const text = typeof answer?.body === 'string' ? answer.body : JSON.stringify(answer?.body);
    return {
      response: { statusCode: answer?.status, headers: {}, body: Buffer.from(text) } as never,
    };
  };
  const load = async (entry: string) => (await import(join(folder, `${entry}.ts`))).handler;
  const [create, remove, list] = await Promise.all(
    ['create-plant', 'delete-plant', 'list-plants'].map(load),
  );

  async function invoke(operation: Operation): Promise<{ status: number; listed: string }> {
    const body = `{"id":7,"name":"${operation.slice('create '.length)}"}`;
    const event = operation.startsWith('create')
      ? proxyEvent({ body })
      : proxyEvent({ headers: {}, pathParameters: { id: '7' } });
    const handler = { 'create Aloe': create, 'create Ficus': create, delete: remove, list }[
      operation
    ];
    const answer = await handler(event, {});
    const plants = operation === 'list' && answer.statusCode === 200 ? JSON.parse(answer.body) : [];
    return {
      status: answer.statusCode,
      listed: plants.map(({ name }: { name: string }) => name).join(),
    };
  }

  /** Runs a scenario. Where its schedule ends, each step takes the first possibility. */
  return async ({ calls: names, present, faults, everyError, schedule = [] }: Scenario) => {
    const aloe = { owner: { S: 'alice' }, id: { N: '7' }, name: { S: 'Aloe' }, tag: { S: '' } };
    const model = itemModel(present ? aloe : undefined);
    const unbegun = { status: 0, listed: '', begin: -1, end: -1, requests: 0, tookEffect: false };
    const calls = names.map((operation): Call => ({ operation, ...unbegun, faults: [] }));
    const waiting: (Waiting | undefined)[] = [];
    const late: (Command | undefined)[] = [];
    const steps: { taken: string; possible: string[] }[] = [];
    let running = calls.length;
    let quiet = Promise.withResolvers<void>();
    const pause = () => {
      running -= 1;
      if (running === 0) quiet.resolve();
    };
    for (const [i, call] of calls.entries()) {
      const send = (command: Command) => {
        const waits = { command, ...Promise.withResolvers<Answer>() };
        waiting[i] = waits;
        pause();
        return waits.promise;
      };
      callers.run(send, async () => {
        Object.assign(call, await invoke(call.operation));
        pause();
      });
    }

    const possibilities = () => {
      const canFail = calls.flatMap((call) => call.faults).length < faults;
      const last = Number(steps.at(-1)?.taken.split(':')[0] ?? 0);
      const ofCalls = calls.flatMap(({ operation, begin }, i) => {
        const command = waiting[i]?.command;
        if (!command) return [];
        const isNew = last === i || (last < i && calls.every((call) => call.begin < 0));
        const each = fatesOf(command, isNew, everyError).filter(
          (fate) => canFail || good.includes(fate),
        );
        // Of equal calls that have not begun, the first begins.
        const first = calls.findIndex(
          (one, j) => one.operation === operation && one.begin < 0 && waiting[j],
        );
        return each
          .filter((fate) => begin >= 0 || first === i || fates[fate]?.arrives === 'never')
          .map((fate) => `${i}:${command.name}:${fate}`);
      });
      return [...ofCalls, ...late.flatMap((one, i) => (one ? [`late:${one.name}:${i}`] : []))];
    };
    for (;;) {
      await quiet.promise;
      quiet = Promise.withResolvers();
      const possible = possibilities();
      const taken = schedule[steps.length] ?? possible[0];
      if (taken === undefined) break;
      if (!possible.includes(taken)) throw new Error(`${taken} is not one of ${possible}.`);
      steps.push({ taken, possible });
      const [who, , fate = ''] = taken.split(':');
      const call = calls[Number(who)];
      const { command, resolve, reject } = waiting[Number(who)] ?? {};
      if (!call || !command) {
        model.answer(late.splice(Number(fate), 1, undefined)[0] as Command);
        quiet.resolve();
        continue;
      }
      waiting[Number(who)] = undefined;
      if (!good.includes(fate)) call.faults.push(fate);
      const { arrives, seen } = fates[fate] as Fate;
      if (arrives !== 'never') {
        call.end = steps.length - 1;
        if (call.requests === 0) call.begin = call.end;
        call.requests += 1;
      }
      const answer = arrives === 'now' ? model.answer(command, fate === 'stale') : undefined;
      call.tookEffect ||= answer?.status === 200 && isWrite(command) && seen !== undefined;
      if (arrives === 'later') late.push(command);
      running += 1;
      if (typeof seen === 'string')
        reject?.(Object.assign(new Error(fate), { name: 'TimeoutError', code: seen }));
      else resolve?.(seen ?? (answer as Answer));
    }
    return {
      calls,
      steps,
      violation: violation(calls, present ? 'Aloe' : undefined, model.name()),
    };
  };
}

type Waiting = { command: Command } & PromiseWithResolvers<Answer>;
type Run = Awaited<ReturnType<typeof loadFunctions>>;

/** Runs a scenario by each schedule that begins as its own, and yields what came of it. */
export async function* explore(run: Run, scenario: Scenario) {
  const { schedule: begin = [] } = scenario;
  for (let schedule = begin; ; ) {
    const result = await run({ ...scenario, schedule });
    yield result;
    // The next schedule differs in the last step that has a possibility left.
    const taken = result.steps.map((step) => step.taken);
    const last = result.steps.findLastIndex(({ taken, possible }) => taken !== possible.at(-1));
    if (last < begin.length) return;
    const possible = result.steps[last]?.possible ?? [];
    schedule = [
      ...taken.slice(0, last),
      ...possible.slice(possible.indexOf(`${taken[last]}`) + 1).slice(0, 1),
    ];
  }
}

/** Returns every choice of so many calls, with a plant there and without. */
export function scenarios(count: number, faults: number, everyError: boolean): Scenario[] {
  const choices = (left: number, from: readonly Operation[]): Operation[][] =>
    left === 0
      ? [[]]
      : from.flatMap((one, i) => choices(left - 1, from.slice(i)).map((rest) => [one, ...rest]));
  return choices(count, operations).flatMap((calls) =>
    [false, true].map((present) => ({ calls, present, faults, everyError })),
  );
}
