/**
 * Timeouts in milliseconds. Each ends before the next, so that every caller, from the DynamoDB
 * client to the gateway, gets a response.
 */
export const timeouts = {
  /** For connecting to DynamoDB, in each attempt. */
  connection: 1000,
  /** For the first byte of a response from DynamoDB, then between chunks. */
  attempt: 1500,
  /** For an operation, from the event to the response. */
  operation: 5000,
  /** For the authorizer, from the event to the policy. */
  authorizer: 9500,
  /** After which Lambda stops a function. */
  function: 10_000,
  /** After which the gateway stops waiting for a function. */
  gateway: 29_000,
} as const;

/** Maximum attempts of a DynamoDB command. Long pauses while throttled allow fewer. */
export const attempts = 3;

/** Seconds for which API Gateway caches an authorizer's policy by default. */
export const defaultCacheSeconds = 60;
