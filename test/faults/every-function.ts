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
} from '../support/database/proxy.ts';

/**
 * What comes of a fault in each function: the status, the name of the plant that is there after a
 * create, and after a list or delete of Aloe ("-" without one), and the commands sent.
 */
export interface Outcome {
  create: string;
  list: string;
  delete: string;
  authorize: string;
}

/** Each function sends its command so many times, with this status and plant in the end. */
const sending = (times: number, ...[create, list, remove, authorize]: string[]): Outcome => ({
  create: create + ' PutItem'.repeat(times),
  list: list + ' Query'.repeat(times),
  delete: remove + ' DeleteItem'.repeat(times),
  authorize: authorize + ' GetItem'.repeat(times),
});
const atOnce = sending(1, '201 Aloe', '200 Aloe', '204 -', '200 -');
const triedAgain = sending(2, '201 Aloe', '200 Aloe', '204 -', '200 -');
const refused = sending(3, '503 -', '503 Aloe', '503 Aloe', '503 -');
const tooSlow = sending(1, '503 Aloe', '503 Aloe', '503 -', '503 -');
const denied = sending(1, '500 -', '500 Aloe', '500 Aloe', '503 -');
/** A write in doubt is not sent again. One read tells whether it took effect. */
const inDoubt: Outcome = {
  ...triedAgain,
  create: '503 - PutItem GetItem',
  delete: '503 Aloe DeleteItem GetItem',
};
const inDoubtForLong: Outcome = {
  ...refused,
  create: '503 - PutItem GetItem GetItem GetItem',
  delete: '503 Aloe DeleteItem GetItem GetItem GetItem',
};
const done: Outcome = {
  ...triedAgain,
  create: '201 Aloe PutItem GetItem',
  delete: '204 - DeleteItem GetItem',
};
const doneForLong: Outcome = {
  ...refused,
  create: '503 Aloe PutItem GetItem GetItem GetItem',
  delete: '503 - DeleteItem GetItem GetItem GetItem',
};
/** A delete whose answer never begins may still arrive. */
const doneButUnclear: Outcome = { ...done, delete: '503 - DeleteItem' };
const neverAnswered: Outcome = { ...inDoubt, delete: '503 Aloe DeleteItem' };
const neverAnsweredForLong: Outcome = { ...inDoubtForLong, delete: '503 Aloe DeleteItem' };

const noObjects = ['', '[]', 'null', '"x"', '{"Item":', '<html></html>'];

const overloaded = fail(400, 'ProvisionedThroughputExceededException');
const overQuota = fail(400, 'RequestLimitExceeded');
const failing = fail(500, 'InternalServerError');

/** What the database does to each function. The last fault stays. */
export const faultsOfEveryFunction: [what: string, faults: Fault[], outcome: Outcome][] = [
  ['has too little throughput once', [overloaded, pass], triedAgain],
  ['has too little throughput for long', [overloaded], refused],
  ['throttles once', [throttle, pass], triedAgain],
  ['throttles for long', [throttle], refused],
  ['is over a quota once', [overQuota, pass], triedAgain],
  ['is over a quota for long', [overQuota], refused],
  ['fails once', [failing, pass], inDoubt],
  ['fails for long', [failing], inDoubtForLong],
  ['answers a page of HTML once', [html, pass], inDoubt],
  ['answers pages of HTML for long', [html], inDoubtForLong],
  ['resets one connection before the request', [reset, pass], inDoubt],
  ['resets all connections before the request', [reset], inDoubtForLong],
  ['resets one connection after the commit', [loseAnswer, pass], done],
  ['resets all connections after the commit', [loseAnswer], doneForLong],
  ['hangs once', [hang, pass], neverAnswered],
  ['hangs for long', [hang], neverAnsweredForLong],
  ['hangs once after the commit', [swallowAnswer, pass], doneButUnclear],
  ['begins one answer too slowly', [drip, pass], doneButUnclear],
  ['cuts one answer', [breakOff, pass], done],
  ['cuts all answers', [breakOff], doneForLong],
  ['stalls in one answer', [stall, pass], done],
  ['stalls in all answers', [stall], doneForLong],
  ['answers slowly', [slow], atOnce],
  ['answers too slowly', [crawl], tooSlow],
  ...noObjects.flatMap((body): [string, Fault[], Outcome][] => {
    const [lost, withDone] = [say(body, 'not done'), say(body, 'done')];
    const what = `says ${body || 'nothing'}`;
    return [
      [`does nothing and ${what} once`, [lost, pass], inDoubt],
      [`does nothing and ${what} for long`, [lost], inDoubtForLong],
      [`does its work and ${what} once`, [withDone, pass], done],
      [`does its work and ${what} for long`, [withDone], doneForLong],
    ];
  }),
  ['finds the credentials expired', [fail(400, 'ExpiredTokenException')], denied],
  ['denies access', [fail(400, 'AccessDeniedException')], denied],
];

/** These come last and one by one, because a client keeps the difference between the clocks. */
export const skewsOfEveryFunction: typeof faultsOfEveryFunction = [
  ['is a quarter of an hour ahead or more', [skew(15)], triedAgain],
  ['is a quarter of an hour behind or more', [skew(-15)], triedAgain],
];
