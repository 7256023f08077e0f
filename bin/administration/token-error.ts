/** A mistake of an administrator. Its message is for them. */
export class TokenError extends Error {
  override name = 'TokenError';
}
