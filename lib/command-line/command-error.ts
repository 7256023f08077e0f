/** A user's mistake. The message states the problem, then the solution. */
export class CommandError extends Error {
  override name = 'CommandError';
}

/** Returns the message of an error, after its name if it was not expected. */
export const formatError = (error: Error): string =>
  error instanceof CommandError || error.name === 'Error'
    ? error.message
    : `${error.name}: ${error.message}`;
