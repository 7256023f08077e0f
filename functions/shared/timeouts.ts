/**
 * Timeouts in milliseconds. Each ends before the next, so that every caller, from the database's
 * client to the gateway, gets an answer.
 */
export const timeouts = {
  /** Until an attempt has a connection to DynamoDB. */
  connection: 1000,
  /** Until the first byte of an attempt's answer, then between chunks. */
  attempt: 1500,
  /** For an operation, from the event to the answer. */
  operation: 5000,
  /** For the authorizer, from the event to the answer. */
  authorizer: 9500,
  /** For a function, until Lambda stops it. */
  function: 10_000,
  /** For an integration, until the gateway stops waiting. */
  gateway: 29_000,
} as const;

/**
 * The number of attempts of a command. An operation ends sooner if DynamoDB asks for long pauses.
 */
export const attempts = 3;
