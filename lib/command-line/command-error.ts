/** A user's mistake. The message states the problem, then the solution. */
export class CommandError extends Error {
  override name = 'CommandError';
}
