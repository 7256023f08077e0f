/** A mistake of the person who runs a command. The message says what is wrong, then what to do. */
export class CommandError extends Error {
  override name = 'CommandError';
}
