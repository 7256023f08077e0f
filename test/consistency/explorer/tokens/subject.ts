import type { Item } from '../model.ts';
import { startTime } from '../running-calls.ts';
import type { Subject } from '../subject.ts';
import { findToken, load, type Token } from './calls.ts';
import { plantedFaults } from './planted-faults.ts';
import { violation } from './sentences.ts';
import { states } from './states.ts';

const record = ({ id, digest }: Token, owner: string): Item => ({
  id: { S: id },
  digest: { B: digest },
  owner: { S: owner },
  scopes: { L: [{ S: 'plants:read' }] },
  label: { S: '' },
  created: { N: `${startTime}` },
  lifetime: { N: '7200' },
  expires: { N: `${startTime + 7200}` },
});

/** Calls about one stored token of ann, and about those that they make. Bob's token is not theirs. */
export const accessTokens: Subject = {
  table: 'accessTokens',
  operations: [
    'issue',
    'issue taken',
    'rotate 0',
    'rotate 1h',
    'erase',
    'revoke old',
    'revoke new',
    'authorize old',
    'authorize new',
    'list',
  ],
  stored(present) {
    const ofBob = record(findToken(251), 'bob');
    return present ? [ofBob, record(findToken(), 'ann')] : [ofBob];
  },
  makes: (call) => /^(?:issue|rotate)/.test(call),
  limits: { threeCalls: 500, twoCalls: 150 },
  losesReads: false,
  jumps: [59, 60, 3599, 3600, 7200],
  isRedundant(calls, present) {
    const makes = /^(?:issue|rotate)/.test(calls[0] ?? '');
    if (!makes && calls.some((call) => call.endsWith(' new'))) {
      return true;
    }
    // Reading calls change nothing for others.
    if (calls.filter((call) => /^(?:list|authorize)/.test(call)).length > 1) {
      return true;
    }
    return calls.length > 2 && (!present || calls.includes('issue taken'));
  },
  load,
  violation,
  states,
  plantedFaults,
};
