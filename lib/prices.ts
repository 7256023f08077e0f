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
