/** How long a request waits at most, in milliseconds. Each wait ends inside the next, so that whoever waits outside gets an answer. */
export const waits = {
  /** Until a connection to DynamoDB stands. */
  connection: 1000,
  /** One attempt of a command, until its answer begins, and between two pieces of it. */
  attempt: 1500,
  /** An operation, from the event to its answer. */
  operation: 5000,
  /** The authorizer, from the event to its answer. */
  authorizer: 9500,
  /** A function, until Lambda ends it. */
  function: 10_000,
  /** The gateway, which has one limit for every integration. */
  gateway: 29_000,
} as const;

/** How often a command is tried. An operation ends sooner if DynamoDB asks for long pauses. */
export const attempts = 3;
