import { functionDefaults } from './setting-facts.ts';

/**
 * What AWS charges in us-east-1, in US dollars, before any free allowance. The tables of
 * docs/cost-and-scale.md follow from these numbers, and it names the source of each.
 */
export const prices = {
  /** A million requests to a REST API, the first 333 million of a month. */
  millionGatewayRequests: 3.5,
  millionLambdaRequests: 0.2,
  /** One GB of memory for one second. */
  lambdaGbSecond: { arm64: 0.0000133334, x86_64: 0.0000166667 },
  /** On demand: a unit reads up to 4 KB strongly consistently, or writes up to 1 KB. */
  millionTableReads: 0.125,
  millionTableWrites: 0.625,
  /** One GB taken in by CloudWatch Logs. */
  logGb: 0.5,
} as const;

/** What requests use on AWS. */
export interface Usage {
  requests: number;
  invocations: number;
  reads: number;
  writes: number;
  logBytes: number;
}

/** The price of one second of a function with the default settings. */
export const lambdaSecond =
  (functionDefaults.memory / 1024) * prices.lambdaGbSecond[functionDefaults.architecture];

/**
 * What an invocation is assumed to take on AWS, in seconds. Only a deployed stack can measure it,
 * because a share of a processor comes with the memory.
 */
export const assumedSeconds = 0.025;

/**
 * How long INIT is assumed to take, in seconds, and which share of the invocations has one: "under
 * 1 %", says https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html. Lambda
 * charges for it like for the invocation.
 */
export const assumedInit = { seconds: 0.3, share: 0.01 } as const;

/** What Lambda charges for an invocation on average, in seconds. */
const billedSeconds = assumedSeconds + assumedInit.share * assumedInit.seconds;

/** Prices of a usage, in US dollars. */
export interface Price {
  gateway: number;
  lambda: number;
  dynamodb: number;
  logs: number;
}

/** Returns the price of a usage by service, with the default settings. */
export function priceOf({ requests, invocations, reads, writes, logBytes }: Usage): Price {
  return {
    gateway: (requests / 1e6) * prices.millionGatewayRequests,
    lambda:
      (invocations / 1e6) * prices.millionLambdaRequests +
      invocations * billedSeconds * lambdaSecond,
    dynamodb: (reads / 1e6) * prices.millionTableReads + (writes / 1e6) * prices.millionTableWrites,
    logs: (logBytes / 1e9) * prices.logGb,
  };
}

/**
 * Returns the bytes that CloudWatch Logs charges for a line.
 * https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutLogEvents.html
 */
export const logEventBytes = (line: string): number => Buffer.byteLength(line) + 26;
