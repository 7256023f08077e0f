import { makeItem } from '../../../support/plant.ts';
import type { Item } from '../model.ts';
import type { Subject } from '../subject.ts';
import { calls, load } from './calls.ts';
import { violation } from './history.ts';
import { plantedFaults } from './planted-faults.ts';
import { states } from './states.ts';

const aloe = makeItem('alice', 7n, 'Aloe') as Item;

/** Calls about one id. Before them, its plant is named Aloe or there is none. */
export const plants: Subject = {
  table: 'plants',
  operations: calls,
  stored: (present) => (present ? [aloe] : []),
  makes: (call) => call.includes(' '),
  limits: { threeCalls: Infinity, twoCalls: Infinity },
  losesReads: true,
  jumps: [],
  isRedundant(calls, present) {
    const ofName = (name: string) => calls.filter((call) => call.endsWith(` ${name}`)).length;
    // Without a stored plant, exchanging the two names gives the same schedules.
    return !present && ofName('Ficus') > ofName('Aloe');
  },
  load,
  violation,
  states,
  plantedFaults,
};
