import document from '../../../docs/openapi.json' with { type: 'json' };
import { operations } from '../../../functions/shared/operations.ts';
import { readSettings } from '../../../lib/stack/settings.ts';

// The bill of docs/costs.md, in US dollars, from AWS's prices in us-east-1 of November 2026.

type Tier = [upTo: number, price: number];
const priceOfRequest: Tier[] = [
  [333e6, 3.5e-6],
  [1e9, 2.8e-6],
];
const priceOfSentGigabyte: Tier[] = [
  [10_000, 0.09],
  [50_000, 0.085],
  [150_000, 0.07],
  [Number.POSITIVE_INFINITY, 0.05],
];
const price = {
  invocation: 0.2e-6,
  /** On arm64. */
  gigabyteSecond: 0.0000133334,
  readUnit: 0.125e-6,
  writeUnit: 0.625e-6,
  logGigabyte: 0.5,
  trace: 5e-6,
};

/** The sum over a month's tiers, each at its own price. */
function addTiers(amount: number, tiers: Tier[]): number {
  const parts = tiers.map(([upTo, price], i) => {
    const [from = 0] = tiers[i - 1] ?? [];
    return Math.max(0, Math.min(amount, upTo) - from) * price;
  });
  return parts.reduce((sum, part) => sum + part);
}

/** The invocations, units and bytes of a request, on average. */
interface Use {
  /** API Gateway does not charge for requests that an authorizer rejects. */
  isCharged: boolean;
  invocations: number;
  /** Seconds of an invocation, without a cold start. */
  seconds: number;
  readUnits: number;
  writeUnits: number;
  logBytes: number;
  sentBytes: number;
}

export const memoryGigabytes = 0.5;
export const coldStart = { share: 0.01, seconds: 0.3 };
export const secondsOfInvocation = 0.025;
const shares = { list: 0.6, create: 0.3, delete: 0.1, authorizer: 0.1 };

// Bytes as measured. An invocation's lines have Lambda's own, and the largest owner's name is long.
const logBytes = { operation: 970, authorizer: 910, rejection: 1670, largestOwner: 250 };
const sentBytes = { list: 1380, create: 550, delete: 470, rejection: 810, preflight: 700 };

const ordinary: Use = {
  isCharged: true,
  invocations: 1 + shares.authorizer,
  seconds: secondsOfInvocation,
  readUnits: shares.list + shares.authorizer,
  writeUnits: shares.create + shares.delete,
  logBytes: logBytes.operation + shares.authorizer * logBytes.authorizer,
  sentBytes:
    shares.list * sentBytes.list +
    shares.create * sentBytes.create +
    shares.delete * sentBytes.delete,
};

const rejected: Use = {
  isCharged: false,
  invocations: 1,
  seconds: secondsOfInvocation,
  readUnits: 1,
  writeUnits: 0,
  logBytes: logBytes.rejection,
  sentBytes: sentBytes.rejection,
};

const preflight: Use = {
  isCharged: true,
  invocations: 0,
  seconds: 0,
  readUnits: 0,
  writeUnits: 0,
  logBytes: 0,
  sentBytes: sentBytes.preflight,
};

/** The texts of the largest plant, with four bytes for each code point. */
const textBytes = Object.values(document.components.schemas.NewPlant.properties)
  .map((member) => ('maxLength' in member ? 4 * member.maxLength : 0))
  .reduce((sum, bytes) => sum + bytes);
/** The table has an owner of 128 bytes, an id and a nonce too. */
const largestPlant = { stored: textBytes + 166, sent: textBytes + 21 };
const isJudged = { invocations: 2, readUnits: 1 };
const largestLogBytes = logBytes.operation + logBytes.authorizer + logBytes.largestOwner;

/** A list of 1,000 of the largest plants, which runs for 0.2 s. */
const largestList: Use = {
  isCharged: true,
  invocations: isJudged.invocations,
  seconds: (0.2 + secondsOfInvocation) / 2,
  readUnits: Math.ceil((1000 * largestPlant.stored) / 4096) + isJudged.readUnits,
  writeUnits: 0,
  logBytes: largestLogBytes,
  sentBytes: sentBytes.delete + 1000 * largestPlant.sent,
};

const largestWrite: Use = {
  isCharged: true,
  ...isJudged,
  seconds: secondsOfInvocation,
  writeUnits: Math.ceil(largestPlant.stored / 1024),
  logBytes: largestLogBytes,
  sentBytes: sentBytes.delete,
};

/** Returns the bill for a number of requests of each use. */
function addUp(uses: [requests: number, use: Use][]) {
  const sum = (of: (use: Use) => number) =>
    uses.reduce((total, [requests, use]) => total + requests * of(use), 0);
  const coldSeconds = coldStart.share * coldStart.seconds;
  const parts = {
    gateway: addTiers(
      sum(({ isCharged }) => Number(isCharged)),
      priceOfRequest,
    ),
    lambda:
      sum(({ invocations }) => invocations) * price.invocation +
      sum(({ invocations, seconds }) => invocations * (seconds + coldSeconds)) *
        memoryGigabytes *
        price.gigabyteSecond,
    dynamodb:
      sum(({ readUnits }) => readUnits) * price.readUnit +
      sum(({ writeUnits }) => writeUnits) * price.writeUnit,
    logs: (sum(({ logBytes }) => logBytes) / 1e9) * price.logGigabyte,
    sent: addTiers(sum(({ sentBytes }) => sentBytes) / 1e9, priceOfSentGigabyte),
  };
  return { ...parts, all: Object.values(parts).reduce((total, part) => total + part) };
}

const secondsOfMonth = 730 * 3600;
const { 'throttle-rate': rate } = readSettings({});
const methods = Object.keys(operations).length;
/** The requests of a month at the default throttle. */
const requests = methods * rate * secondsOfMonth;
/** The largest rate that does not make the alarm HighTraffic go off, for a month. */
const unnoticed = 0.9 * rate * secondsOfMonth;

/** The bills that the pages have. */
export const costs = {
  million: addUp([[1e6, ordinary]]),
  month: addUp([[requests, ordinary]]),
  largest: addUp([
    [requests / methods, largestList],
    [requests - requests / methods, largestWrite],
  ]),
  rejected: addUp([[requests, rejected]]),
  preflights: addUp([[requests, preflight]]),
  ceiling: addUp([[100_000, ordinary]]).all,
  largestCeiling: addUp([[100_000, largestList]]).all,
  unnoticed: addUp([[unnoticed, ordinary]]).all,
  largestUnnoticed: addUp([[unnoticed, largestList]]).all,
  traces: requests * price.trace,
};
