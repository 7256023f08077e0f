import { parseArgs } from 'node:util';
import { plants } from './plants/subject.ts';
import { loadCalls } from './running-calls.ts';
import { explorer, type Scenario } from './schedules.ts';
import type { Subject } from './subject.ts';
import { accessTokens } from './tokens/subject.ts';

// Tries schedules of three calls and two database faults, or with --two-calls those of two calls
// and one fault: all of them, or as many as the subject's limits say. The first argument is the
// subject: plants or tokens. Others are scenarios to try whole instead, in the JSON that a failure
// prints. --fault plants a fault of planted-faults.ts.

const subjects: Record<string, Subject> = { plants, tokens: accessTokens };

type Limits = Pick<Scenario, 'faults' | 'everyError'>;

const { values, positionals } = parseArgs({
  options: { 'two-calls': { type: 'boolean' }, fault: { type: 'string' } },
  allowPositionals: true,
});
const [name = '', ...given] = positionals;
const subject = subjects[name];
if (!subject) {
  throw new Error(`Choose one of ${Object.keys(subjects).join(', ')}.`);
}
const { operations, isRedundant, limits, states, plantedFaults } = subject;

/** Returns the scenarios with this number of calls, with a stored subject and without. */
function scenarios(count: number, limits: Limits, calls: string[] = []): Scenario[] {
  if (calls.length < count) {
    const further = operations.slice(operations.indexOf(calls.at(-1) ?? `${operations[0]}`));
    return further.flatMap((next) => scenarios(count, limits, [...calls, next]));
  }
  return [false, true]
    .filter((present) => !isRedundant(calls, present))
    .map((present) => ({ calls, present, ...limits }));
}

const isShort = values['two-calls'] === true;
const chosen = isShort
  ? scenarios(2, { faults: 1, everyError: false })
  : [
      ...scenarios(3, { faults: 2, everyError: false }),
      ...scenarios(2, { faults: 2, everyError: true }),
    ];
const all = given.length > 0 ? given.map((scenario) => JSON.parse(scenario)) : chosen;
const planted = plantedFaults[`${values.fault}`];
if (values.fault !== undefined && !planted) {
  throw new Error(`Choose one of ${Object.keys(plantedFaults).join(', ')}.`);
}
const { begin, findSteps, take, findViolation } = explorer(
  subject,
  await loadCalls(subject, planted?.fault),
);
const unreached = new Map(Object.values(states).flatMap((of) => Object.entries(of)));
let random = 1;
let schedules = 0;
for (const scenario of all) {
  await explore(scenario);
}
const isSmall = isShort && limits.twoCalls < Number.POSITIVE_INFINITY;
if (given.length === 0 && !isSmall && unreached.size > 0) {
  console.log(`No schedule reached a state:\n${[...unreached.keys()].join('\n')}`);
  process.exit(1);
}
console.log(`${schedules} schedules of ${all.length} scenarios hold the contract.`);

/** Tries the schedules of a scenario, or as many as the limit says. */
async function explore({ schedule = [], ...scenario }: Scenario): Promise<void> {
  let moment = await begin(scenario);
  for (const step of schedule) {
    const steps = findSteps(moment);
    if (!steps.includes(step)) {
      throw new Error(`The step ${step} is not possible here. Choose one of ${steps.join(', ')}.`);
    }
    moment = await take(moment, step);
  }
  const limit = findLimit(scenario);
  const waiting = [() => Promise.resolve(moment)];
  for (let tried = 0; tried < limit && waiting.length > 0; tried += 1) {
    // Each tenth schedule has its beginning from anywhere, so that a limit leaves a mixture.
    const [go] = waiting.splice(tried % 10 === 0 ? pick(waiting.length) : -1, 1);
    let end = (await go?.()) as typeof moment;
    for (let steps = findSteps(end); steps[0]; steps = findSteps(end)) {
      const before = end;
      waiting.push(...steps.slice(1).map((step) => () => take(before, step)));
      end = await take(before, steps[0]);
    }
    await judge(end);
    schedules += 1;
  }
}

function findLimit({ calls }: Scenario): number {
  if (given.length > 0) {
    return Number.POSITIVE_INFINITY;
  }
  const { threeCalls, twoCalls } = limits;
  return calls.length > 2 ? threeCalls : twoCalls / (isShort ? 40 : 1);
}

async function judge(end: Awaited<ReturnType<typeof begin>>): Promise<void> {
  const { scenario, schedule, calls } = end;
  const broken = await findViolation(end);
  if (broken) {
    const replay = JSON.stringify({ ...scenario, schedule });
    console.log(
      `${broken}\nReplay: node bin/node24.mjs test/consistency/explorer/explore.ts ${name} '${replay}'`,
    );
    process.exit(1);
  }
  for (const [state, isReached] of unreached) {
    if (calls.some((call) => isReached(call, end))) {
      unreached.delete(state);
    }
  }
}

/** Returns an index at random, which is the same in each run. */
function pick(count: number): number {
  random = (random * 48_271) % 2_147_483_647;
  return random % count;
}
