import { parseArgs } from 'node:util';
import { loadFunctions } from './calls.ts';
import { type Operation, operations } from './history.ts';
import { plantedFaults } from './planted-faults.ts';
import { run, type Scenario } from './schedules.ts';
import { states } from './states.ts';

// Tries every schedule of three calls and two database faults, or with --two-calls those of two
// calls and one fault. Arguments are scenarios to try instead, in the JSON that a failure prints.
// --fault plants a fault of planted-faults.ts in the functions.

type Limits = Pick<Scenario, 'faults' | 'everyError'>;

/** Returns the scenarios with this number of calls, with a stored plant and without. */
function scenarios(count: number, limits: Limits, calls: Operation[] = []): Scenario[] {
  if (calls.length === count) {
    const ofName = (name: string) => calls.filter((call) => call === `create ${name}`).length;
    // Without a stored plant, exchanging the two names gives the same schedules.
    const isMirrored = ofName('Ficus') > ofName('Aloe');
    const presence = isMirrored ? [true] : [false, true];
    return presence.map((present) => ({ calls, present, ...limits }));
  }
  const further = operations.filter((operation) => operation >= (calls.at(-1) ?? ''));
  return further.flatMap((next) => scenarios(count, limits, [...calls, next]));
}

const { values, positionals } = parseArgs({
  options: { 'two-calls': { type: 'boolean' }, fault: { type: 'string' } },
  allowPositionals: true,
});
const given: Scenario[] = positionals.map((scenario) => JSON.parse(scenario));
const chosen = values['two-calls']
  ? scenarios(2, { faults: 1, everyError: false })
  : [
      ...scenarios(3, { faults: 2, everyError: false }),
      ...scenarios(2, { faults: 2, everyError: true }),
    ];
const all = given.length > 0 ? given : chosen;
const count = all.length;
const findNext = await loadFunctions(plantedFaults[`${values.fault}`]?.[0]);
const unreached = new Map(Object.entries(states));
let schedules = 0;
for (let scenario = all.pop(); scenario; scenario = all.pop(), schedules += 1) {
  const { broken, schedule, others, calls } = await run(findNext, scenario);
  if (broken) {
    const replay = JSON.stringify({ ...scenario, schedule });
    console.log(
      `${broken}\nReplay: node bin/node24.mjs test/consistency/explorer/explore.ts '${replay}'`,
    );
    process.exit(1);
  }
  for (const [name, isReached] of unreached) {
    if (calls.some(isReached)) {
      unreached.delete(name);
    }
  }
  for (const other of others) {
    all.push({ ...scenario, schedule: other });
  }
}
if (given.length === 0 && unreached.size > 0) {
  console.log(`No schedule reached a state:\n${[...unreached.keys()].join('\n')}`);
  process.exit(1);
}
console.log(`${schedules} schedules of ${count} scenarios hold the contract.`);
