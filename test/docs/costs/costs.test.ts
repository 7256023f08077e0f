import { expect, test } from '@jest/globals';
import { assumedInit, assumedSeconds, lambdaSecond, prices } from '../../../lib/prices.ts';
import { functionDefaults } from '../../../lib/setting-facts.ts';
import { words } from '../../support/words.ts';
import { readPage, tableOf } from '../page.ts';
import { type Measured, type MeasuredName, measure, measureDearest } from './measured.ts';

const page = 'docs/cost-and-scale.md';

type Tier = [upTo: number, price: number];
/** Prices of what the dashboard does not show, and the tiers above the first. */
const millionTraces = 5;
const gatewayTiers: Tier[] = [
  [333, prices.millionGatewayRequests],
  [1000, 2.8],
];
const sentGbTiers: Tier[] = [
  [10_000, 0.09],
  [50_000, 0.085],
  [150_000, 0.07],
  [Number.POSITIVE_INFINITY, 0.05],
];

function tiered(amount: number, tiers: Tier[]): number {
  let below = 0;
  let sum = 0;
  for (const [upTo, price] of tiers) {
    sum += Math.max(0, Math.min(amount, upTo) - below) * price;
    below = upTo;
  }
  if (amount > below) {
    throw new Error(`No tier is as large as ${amount}.`);
  }
  return sum;
}

/** What one request uses. */
interface Use {
  /** API Gateway does not charge for requests that an authorizer refuses. */
  charged: 0 | 1;
  invocations: number;
  /** Seconds of each invocation after INIT, with the default memory. */
  seconds: number;
  readUnits: number;
  writeUnits: number;
  logKilobytes: number;
  sentKilobytes: number;
}

const measured = await measure();
const asText = (amount: number) => `${Number(amount.toFixed(2))}`;

/**
 * Returns a row of the page as it should be. What the page has now is right to 50 bytes, because
 * durations vary in length.
 */
function rowOf(name: MeasuredName): string[] {
  const [, ...cells] = tableOf(page, 'one request to').find(([first]) => first === name) ?? [];
  const { readUnits, writeUnits, logKilobytes, sentKilobytes } = measured[name];
  const kilobytes = [logKilobytes, sentKilobytes].map((amount, i) => {
    const cell = cells[i + 2] ?? '';
    return Math.abs(Number.parseFloat(cell) - amount) < 0.05 ? cell : asText(amount);
  });
  return [name, asText(readUnits), asText(writeUnits), ...kilobytes];
}

const useRows = (Object.keys(measured) as MeasuredName[]).map(rowOf);

/** Returns what one request of a kind uses. What the page has of it is red if it is wrong. */
function usesOf(name: MeasuredName): Measured {
  const [, ...cells] = useRows.find(([first]) => first === name) ?? [];
  const [readUnits = 0, writeUnits = 0, logKilobytes = 0, sentKilobytes = 0] = cells.map(Number);
  return { readUnits, writeUnits, logKilobytes, sentKilobytes };
}

const plain = { charged: 1, seconds: assumedSeconds, readUnits: 0, writeUnits: 0 } as const;
const authorizerCalls = 0.1;
const shares: [MeasuredName, number][] = [
  ['list 20 plants', 0.6],
  ['create a plant', 0.3],
  ['delete a plant', 0.1],
  ['accept a token', authorizerCalls],
];
const ordinarily = (of: keyof Measured) =>
  shares.reduce((sum, [name, share]) => sum + share * usesOf(name)[of], 0);
const ordinary: Use = {
  ...plain,
  invocations: 1 + authorizerCalls,
  readUnits: ordinarily('readUnits'),
  writeUnits: ordinarily('writeUnits'),
  logKilobytes: ordinarily('logKilobytes'),
  sentKilobytes: ordinarily('sentKilobytes'),
};

const { logKilobytes, sentKilobytes: headKilobytes } = usesOf('delete a plant');
// The case of Bearer and the spaces after it are part of the key of the gateway's cache, so each
// request can make the authorizer judge the same token again.
const judged = usesOf('accept a token');
const dearest = (await measureDearest()).map(
  ({ readUnits, writeUnits, bodyBytes }): Use => ({
    charged: 1,
    invocations: 2,
    // The mean of both. A list of 1000 takes longer.
    seconds: ((bodyBytes > 100_000 ? 0.2 : assumedSeconds) + assumedSeconds) / 2,
    readUnits: readUnits + judged.readUnits,
    writeUnits,
    logKilobytes: logKilobytes + judged.logKilobytes,
    sentKilobytes: headKilobytes + bodyBytes / 1000,
  }),
);

/** What Lambda's `platform.runtimeDone` of a failed invocation says beyond the emulator's. */
const spansKilobytes = 0.3;
const refusal = usesOf('refuse a token');
const refused: Use = {
  ...plain,
  charged: 0,
  invocations: 1,
  ...refusal,
  logKilobytes: refusal.logKilobytes + spansKilobytes,
};
const preflight: Use = { ...plain, invocations: 0, logKilobytes: 0, sentKilobytes: 0.7 };

/** What Lambda's own lines say of the trace and the function, which the emulator's do not. */
const tracingKilobytes = 0.3;

const secondsOfAMonth = 730 * 3600;

/** Returns what a month costs, by service, for so many million requests of each use. */
function costs(uses: [million: number, use: Use][]): number[] {
  const sum = (of: (use: Use) => number) =>
    uses.reduce((total, [million, use]) => total + million * of(use), 0);
  const requests = sum(() => 1);
  const traces = 0.05 * requests;
  const charged = sum((use) => use.charged);
  const sent = sum((use) => use.sentKilobytes);
  const initSeconds = assumedInit.share * assumedInit.seconds;
  const seconds = 1e6 * sum((use) => use.invocations * (use.seconds + initSeconds));
  const parts = [
    tiered(charged, gatewayTiers),
    sum((use) => use.invocations) * prices.millionLambdaRequests + seconds * lambdaSecond,
    sum((use) => use.readUnits) * prices.millionTableReads +
      sum((use) => use.writeUnits) * prices.millionTableWrites,
    sum((use) => use.logKilobytes + use.invocations * tracingKilobytes) * prices.logGb,
    traces * millionTraces,
    tiered(sent, sentGbTiers),
  ];
  return [...parts, parts.reduce((total, part) => total + part, 0)];
}

function dollars(amount: number): string {
  if (amount === 0) {
    return '0';
  }
  return amount < 100 ? amount.toFixed(2) : Math.round(amount).toLocaleString('en');
}

test('docs/cost-and-scale.md has what one request uses, as measured', async () => {
  const assumed = `takes ${assumedSeconds * 1000} ms of ${functionDefaults.memory} MB`;
  expect(readPage(page)).toContain(assumed);
  const init = `INIT of ${assumedInit.seconds * 1000} ms in one of ${1 / assumedInit.share}`;
  expect(readPage(page).replaceAll(/\s+/g, ' ')).toContain(init);
  expect(tableOf(page, 'one request to')).toEqual(useRows);
});

test('docs/cost-and-scale.md has what ordinary months cost', () => {
  const months: [string, number][] = [
    ['1 thousand', 0.001],
    ['1 million', 1],
    ['100 million', 100],
  ];
  expect(tableOf(page, 'requests a month')).toEqual(
    months.map(([name, million]) => [name, ...costs([[million, ordinary]]).map(dollars)]),
  );
});

test('a million ordinary requests cost at most 5.10 dollars without the data sent', () => {
  const [sent = 0, all = 0] = costs([[1, ordinary]]).slice(-2);
  expect(all - sent).toBeLessThanOrEqual(5.1);
});

const oneMethod = (50 * secondsOfAMonth) / 1e6;
const capped: [string, [number, Use][]][] = [
  ['ordinary requests', [[dearest.length * oneMethod, ordinary]]],
  ['the dearest requests', dearest.map((use) => [oneMethod, use])],
  ['tokens that are refused', [[dearest.length * oneMethod, refused]]],
  ['CORS preflights', [[dearest.length * oneMethod, preflight]]],
];

test('docs/cost-and-scale.md has what a month at the default throttle costs at most', () => {
  expect(tableOf(page, 'all month')).toEqual(
    capped.map(([name, uses]) => {
      const requests = uses.reduce((sum, [million]) => sum + million, 0);
      return [name, `${Math.round(requests)} million`, ...costs(uses).map(dollars)];
    }),
  );
});

const numbers = words('one two three four five six seven eight nine ten eleven twelve');

test('the README has the bill of the defaults, rounded up', () => {
  const [ordinary, most] = capped.map(
    ([, uses]) => `${Math.ceil((costs(uses).at(-1) ?? 0) / 1000)} 000`,
  );
  const readme = readPage('README.md').replaceAll(/\s+/g, ' ');
  const count = numbers[dearest.length - 1] ?? dearest.length;
  const [bill] = /on all \w+ methods costs about .+? with \[the dearest/.exec(readme) ?? [];
  expect(bill).toBe(
    `on all ${count} methods costs about ${ordinary} dollars with ordinary requests, ` +
      `and up to ${most} with [the dearest`,
  );
});

test('docs/cost-and-scale.md has the prices that the dashboard and its own tables use', () => {
  const tiers = (list: Tier[]) => list.map(([, price]) => price).join(', ');
  expect(tableOf(page, 'what').map((row) => row.slice(0, 3))).toEqual([
    ['REST API requests', tiers(gatewayTiers), 'million'],
    ['Lambda invocations', `${prices.millionLambdaRequests}`, 'million'],
    ['Lambda memory, arm64', `${prices.lambdaGbSecond.arm64}`, 'GB-second'],
    ['Lambda memory, x86_64', `${prices.lambdaGbSecond.x86_64}`, 'GB-second'],
    ['DynamoDB reads', `${prices.millionTableReads}`, 'million units'],
    ['DynamoDB writes', `${prices.millionTableWrites}`, 'million units'],
    ['CloudWatch Logs', `${prices.logGb}`, 'GB taken in'],
    ['X-Ray traces', `${millionTraces}`, 'million'],
    ['Data sent to the internet', tiers(sentGbTiers), 'GB'],
  ]);
});
