import {
  breakOff,
  crawl,
  drip,
  type Fault,
  fail,
  hang,
  html,
  loseAnswer,
  pass,
  reset,
  say,
  skew,
  slow,
  stall,
  swallowAnswer,
  throttle,
} from '../../support/database/proxy.ts';

/** The calls whose functions meet a failing database. The authorizer is asked with a list. */
export const calls = ['create', 'list', 'delete', 'authorizer'] as const;
export type Call = (typeof calls)[number];

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

type Outcomes = Record<Call, Outcome>;

const atOnce: Outcomes = {
  create: { status: 201, left: 'Aloe', sent: ['PutItem'] },
  list: { status: 200, left: 'Aloe', sent: ['Query'] },
  delete: { status: 204, left: null, sent: ['DeleteItem'] },
  authorizer: { status: 200, left: null, sent: ['GetItem'] },
};
const triedAgain: Outcomes = {
  create: { status: 201, left: 'Aloe', sent: ['PutItem', 'PutItem'] },
  list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
  delete: { status: 204, left: null, sent: ['DeleteItem', 'DeleteItem'] },
  authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
};
const refused: Outcomes = {
  create: { status: 503, left: null, sent: ['PutItem', 'PutItem', 'PutItem'] },
  list: { status: 503, left: 'Aloe', sent: ['Query', 'Query', 'Query'] },
  delete: { status: 503, left: 'Aloe', sent: ['DeleteItem', 'DeleteItem', 'DeleteItem'] },
  authorizer: { status: 503, left: null, sent: ['GetItem', 'GetItem', 'GetItem'] },
};
const denied: Outcomes = {
  create: { status: 500, left: null, sent: ['PutItem'] },
  list: { status: 500, left: 'Aloe', sent: ['Query'] },
  delete: { status: 500, left: 'Aloe', sent: ['DeleteItem'] },
  authorizer: { status: 503, left: null, sent: ['GetItem'] },
};
const tooSlow: Outcomes = {
  create: { status: 503, left: 'Aloe', sent: ['PutItem'] },
  list: { status: 503, left: 'Aloe', sent: ['Query'] },
  delete: { status: 503, left: null, sent: ['DeleteItem'] },
  authorizer: { status: 503, left: null, sent: ['GetItem'] },
};

// A write in doubt is not sent again. Reads tell whether it took effect.
const done: Outcomes = {
  ...triedAgain,
  create: { status: 201, left: 'Aloe', sent: ['PutItem', 'GetItem'] },
  delete: { status: 204, left: null, sent: ['DeleteItem', 'GetItem'] },
};
const doneForLong: Outcomes = {
  ...refused,
  create: { status: 503, left: 'Aloe', sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'] },
  delete: { status: 503, left: null, sent: ['DeleteItem', 'GetItem', 'GetItem', 'GetItem'] },
};
const notDone: Outcomes = {
  ...triedAgain,
  create: { status: 503, left: null, sent: ['PutItem', 'GetItem'] },
  delete: { status: 503, left: 'Aloe', sent: ['DeleteItem', 'GetItem'] },
};
const notDoneForLong: Outcomes = {
  ...refused,
  create: { status: 503, left: null, sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'] },
  delete: { status: 503, left: 'Aloe', sent: ['DeleteItem', 'GetItem', 'GetItem', 'GetItem'] },
};

// A delete whose response never begins may still arrive, so no read could settle it.
const doneButUnclear: Outcomes = {
  ...done,
  delete: { status: 503, left: null, sent: ['DeleteItem'] },
};
const neverAnswered: Outcomes = {
  ...notDone,
  delete: { status: 503, left: 'Aloe', sent: ['DeleteItem'] },
};
const neverAnsweredForLong: Outcomes = {
  ...notDoneForLong,
  delete: { status: 503, left: 'Aloe', sent: ['DeleteItem'] },
};

/** Faults of a database, and the outcome of each call. */
interface Failure {
  /** Continues "a database that". */
  what: string;
  faults: Fault[];
  outcomes: Outcomes;
}

export const failing = fail(500, 'InternalServerError');
export const exceeded = fail(400, 'ProvisionedThroughputExceededException');
const expired = fail(400, 'ExpiredTokenException');
export const accessDenied = fail(400, 'AccessDeniedException');
// Its message alone would be a 401 of the gateway.
const unauthorized = fail(400, 'Unauthorized', {}, 'Unauthorized');

const failures: Failure[] = [
  { what: 'throttles once', faults: [throttle, pass], outcomes: triedAgain },
  { what: 'throttles for long', faults: [throttle], outcomes: refused },
  { what: 'exceeds its throughput once', faults: [exceeded, pass], outcomes: triedAgain },
  { what: 'fails once', faults: [failing, pass], outcomes: notDone },
  { what: 'fails for long', faults: [failing], outcomes: notDoneForLong },
  { what: 'returns a page of HTML', faults: [html, pass], outcomes: notDone },
  {
    what: 'resets one connection before the request',
    faults: [reset, pass],
    outcomes: notDone,
  },
  {
    what: 'resets all connections before the request',
    faults: [reset],
    outcomes: notDoneForLong,
  },
  {
    what: 'resets one connection after the commit',
    faults: [loseAnswer, pass],
    outcomes: done,
  },
  {
    what: 'resets all connections after the commit',
    faults: [loseAnswer],
    outcomes: doneForLong,
  },
  { what: 'hangs once', faults: [hang, pass], outcomes: neverAnswered },
  { what: 'hangs for long', faults: [hang], outcomes: neverAnsweredForLong },
  { what: 'hangs once after the commit', faults: [swallowAnswer, pass], outcomes: doneButUnclear },
  { what: 'begins one response too slowly', faults: [drip, pass], outcomes: doneButUnclear },
  { what: 'cuts one response', faults: [breakOff, pass], outcomes: done },
  { what: 'cuts all responses', faults: [breakOff], outcomes: doneForLong },
  { what: 'stalls in one response', faults: [stall, pass], outcomes: done },
  { what: 'responds slowly', faults: [slow], outcomes: atOnce },
  { what: 'responds too slowly', faults: [crawl], outcomes: tooSlow },
  ...['', '[]', '{"Item":'].flatMap((body): Failure[] => [
    {
      what: `does nothing and says ${body || 'nothing'}`,
      faults: [say(body, 'not done')],
      outcomes: notDoneForLong,
    },
    {
      what: `does its work and says ${body || 'nothing'}`,
      faults: [say(body, 'done'), pass],
      outcomes: done,
    },
  ]),
  { what: 'finds the credentials expired', faults: [expired], outcomes: denied },
  { what: 'denies access', faults: [accessDenied], outcomes: denied },
  { what: 'says Unauthorized', faults: [unauthorized], outcomes: denied },
];
const skews: Failure[] = [
  { what: 'is a quarter of an hour ahead or more', faults: [skew(15)], outcomes: triedAgain },
  { what: 'is a quarter of an hour behind or more', faults: [skew(-15)], outcomes: triedAgain },
];

/** Returns a case of a failure for each call. */
function casesOf({ what, faults, outcomes }: Failure): Case[] {
  return calls.map((call) => ({
    title: `${call === 'authorizer' ? 'the' : 'a'} ${call} meets a database that ${what}`,
    call,
    stored: call === 'list' || call === 'delete' ? 'Aloe' : null,
    faults,
    outcome: outcomes[call],
  }));
}
export const ofEveryFunction = failures.flatMap(casesOf);

/** Whether a case waits for time-outs most of the time. */
export const isLong = ({ faults }: Case): boolean =>
  faults.some((fault) => [crawl, drip, hang, stall, swallowAnswer].includes(fault));

/** Cases for the end, one by one, because a client keeps the difference between the clocks. */
export const ofWrongClocks = skews.flatMap(casesOf);
