/**
 * What AWS charges in us-east-1, in US dollars, before any free allowance. docs/cost-and-scale.md has the source and the date of each, and
 * its tables are worked out from these numbers.
 */
export const prices = {
  /** A million requests to a REST API, the first 333 million of a month. */
  millionGatewayRequests: 3.5,
  millionLambdaRequests: 0.2,
  /** One GB of memory for one second. */
  lambdaGbSecond: { arm64: 0.0000133334, x86_64: 0.0000166667 },
  /** A million request units, on demand: a read is of up to 4 KB, strongly consistent, a write of up to 1 KB. */
  millionTableReads: 0.125,
  millionTableWrites: 0.625,
  /** One GB taken in by CloudWatch Logs. */
  logGb: 0.5,
} as const;
