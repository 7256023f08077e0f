import type { Operation } from '../../../functions/shared/operations.ts';
import {
  breakOff,
  type Fault,
  fail,
  html,
  loseResponse,
  pass,
  reset,
  say,
  skew,
  throttle,
} from '../../support/database/proxy.ts';
import { crawl, drip, hang, slow, stall, swallowResponse } from './slow-faults.ts';

/** The names of the operations in the tables of faults. */
export const callNames = {
  createPlant: 'create',
  listPlants: 'list',
  deletePlant: 'delete',
} as const satisfies Record<Operation, string>;

/** The calls whose functions meet a failing database. The authorizer is asked with a list. */
export type Call = (typeof callNames)[Operation] | 'authorizer';
export const calls: Call[] = [...Object.values(callNames), 'authorizer'];

/** The outcome of a call. */
export interface Outcome {
  status: number;
  /** The name of the plant that is there in the end, or null without one. */
  left: string | null;
  /** The commands that the function sends, in their order. */
  sent: string[];
}

export interface Case {
  title: string;
  call: Call;
  /** The name of the plant that is there before, or null without one. */
  stored: string | null;
  /** The faults of the function's commands, one for each. The last one stays. */
  faults: Fault[];
  outcome: Outcome;
}

/** A failing database, and the outcome of each call that meets it, or a row with the same outcomes. */
type Failure = {
  /** Continues "meets a database that". */
  database: string;
  faults: Fault[];
} & (Record<Call, Outcome> | { like: string });

export const failing = fail(500, 'InternalServerError');
export const exceeded = fail(400, 'ProvisionedThroughputExceededException');
const expired = fail(400, 'ExpiredTokenException');
export const accessDenied = fail(400, 'AccessDeniedException');
// Its message alone would be a 401 of the gateway.
const unauthorized = fail(400, 'Unauthorized', {}, 'Unauthorized');

const failures: Failure[] = [
  {
    database: 'throttles once',
    faults: [throttle, pass],
    create: { status: 201, left: 'Aloe', sent: ['PutItem', 'PutItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
    delete: { status: 204, left: null, sent: ['DeleteItem', 'DeleteItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
  },
  {
    database: 'throttles for long',
    faults: [throttle],
    create: { status: 503, left: null, sent: ['PutItem', 'PutItem', 'PutItem'] },
    list: { status: 503, left: 'Aloe', sent: ['Query', 'Query', 'Query'] },
    delete: { status: 503, left: 'Aloe', sent: ['DeleteItem', 'DeleteItem', 'DeleteItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem', 'GetItem', 'GetItem'] },
  },
  {
    database: 'exceeds its throughput once',
    faults: [exceeded, pass],
    like: 'throttles once',
  },
  // A write in doubt is not sent again: reads tell whether it took effect.
  {
    database: 'fails once',
    faults: [failing, pass],
    create: { status: 503, left: null, sent: ['PutItem', 'GetItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
    delete: { status: 503, left: 'Aloe', sent: ['DeleteItem', 'GetItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
  },
  {
    database: 'fails for long',
    faults: [failing],
    create: { status: 503, left: null, sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'] },
    list: { status: 503, left: 'Aloe', sent: ['Query', 'Query', 'Query'] },
    delete: { status: 503, left: 'Aloe', sent: ['DeleteItem', 'GetItem', 'GetItem', 'GetItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem', 'GetItem', 'GetItem'] },
  },
  {
    database: 'returns a page of HTML',
    faults: [html, pass],
    like: 'fails once',
  },
  {
    database: 'resets one connection before the request',
    faults: [reset, pass],
    like: 'fails once',
  },
  {
    database: 'resets all connections before the request',
    faults: [reset],
    like: 'fails for long',
  },
  {
    database: 'resets one connection after the commit',
    faults: [loseResponse, pass],
    create: { status: 201, left: 'Aloe', sent: ['PutItem', 'GetItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
    delete: { status: 204, left: null, sent: ['DeleteItem', 'GetItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
  },
  {
    database: 'resets all connections after the commit',
    faults: [loseResponse],
    create: { status: 503, left: 'Aloe', sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'] },
    list: { status: 503, left: 'Aloe', sent: ['Query', 'Query', 'Query'] },
    delete: { status: 503, left: null, sent: ['DeleteItem', 'GetItem', 'GetItem', 'GetItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem', 'GetItem', 'GetItem'] },
  },
  // A delete whose response never begins may still arrive, so no read could settle it.
  {
    database: 'hangs once',
    faults: [hang, pass],
    create: { status: 503, left: null, sent: ['PutItem', 'GetItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
    delete: { status: 503, left: 'Aloe', sent: ['DeleteItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
  },
  {
    database: 'hangs for long',
    faults: [hang],
    create: { status: 503, left: null, sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'] },
    list: { status: 503, left: 'Aloe', sent: ['Query', 'Query', 'Query'] },
    delete: { status: 503, left: 'Aloe', sent: ['DeleteItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem', 'GetItem', 'GetItem'] },
  },
  {
    database: 'hangs once after the commit',
    faults: [swallowResponse, pass],
    create: { status: 201, left: 'Aloe', sent: ['PutItem', 'GetItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
    delete: { status: 503, left: null, sent: ['DeleteItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
  },
  {
    database: 'begins one response too slowly',
    faults: [drip, pass],
    like: 'hangs once after the commit',
  },
  {
    database: 'cuts one response',
    faults: [breakOff, pass],
    like: 'resets one connection after the commit',
  },
  {
    database: 'cuts all responses',
    faults: [breakOff],
    like: 'resets all connections after the commit',
  },
  {
    database: 'stalls in one response',
    faults: [stall, pass],
    like: 'resets one connection after the commit',
  },
  {
    database: 'responds slowly',
    faults: [slow],
    create: { status: 201, left: 'Aloe', sent: ['PutItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query'] },
    delete: { status: 204, left: null, sent: ['DeleteItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem'] },
  },
  {
    database: 'responds too slowly',
    faults: [crawl],
    create: { status: 503, left: 'Aloe', sent: ['PutItem'] },
    list: { status: 503, left: 'Aloe', sent: ['Query'] },
    delete: { status: 503, left: null, sent: ['DeleteItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem'] },
  },
  {
    database: 'does nothing and says nothing',
    faults: [say('', 'not done')],
    like: 'fails for long',
  },
  {
    database: 'does its work and says nothing',
    faults: [say('', 'done'), pass],
    like: 'resets one connection after the commit',
  },
  {
    database: 'does nothing and says []',
    faults: [say('[]', 'not done')],
    like: 'fails for long',
  },
  {
    database: 'does its work and says []',
    faults: [say('[]', 'done'), pass],
    like: 'resets one connection after the commit',
  },
  {
    database: 'does nothing and says {"Item":',
    faults: [say('{"Item":', 'not done')],
    like: 'fails for long',
  },
  {
    database: 'does its work and says {"Item":',
    faults: [say('{"Item":', 'done'), pass],
    like: 'resets one connection after the commit',
  },
  {
    database: 'finds the credentials expired',
    faults: [expired],
    create: { status: 500, left: null, sent: ['PutItem'] },
    list: { status: 500, left: 'Aloe', sent: ['Query'] },
    delete: { status: 500, left: 'Aloe', sent: ['DeleteItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem'] },
  },
  {
    database: 'denies access',
    faults: [accessDenied],
    like: 'finds the credentials expired',
  },
  {
    database: 'says Unauthorized',
    faults: [unauthorized],
    like: 'finds the credentials expired',
  },
];

const wrongClocks: Failure[] = [
  {
    database: 'is a quarter of an hour ahead or more',
    faults: [skew(15)],
    like: 'throttles once',
  },
  {
    database: 'is a quarter of an hour behind or more',
    faults: [skew(-15)],
    like: 'throttles once',
  },
];

/** Returns the outcomes of a row, or those of the row that it is like. */
function findOutcomes(failure: Failure): Record<Call, Outcome> {
  if (!('like' in failure)) {
    return failure;
  }
  const other = failures.find(({ database }) => database === failure.like);
  if (other === undefined) {
    throw new Error(`No database "${failure.like}" is in the table.`);
  }
  return findOutcomes(other);
}

/** Returns a case for each call. */
function makeCases(failure: Failure): Case[] {
  const outcomes = findOutcomes(failure);
  return calls.map((call) => ({
    title: `${call === 'authorizer' ? 'the' : 'a'} ${call} meets a database that ${failure.database}`,
    call,
    stored: call === 'list' || call === 'delete' ? 'Aloe' : null,
    faults: failure.faults,
    outcome: outcomes[call],
  }));
}
export const ofEveryFunction = failures.flatMap(makeCases);

/** Cases for the end, one by one, because a client keeps the difference between the clocks. */
export const ofWrongClocks = wrongClocks.flatMap(makeCases);
