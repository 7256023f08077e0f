/** A mistake of the administrator. The message says what is wrong, then what to do. */
export class AdministrationError extends Error {
  override name = 'AdministrationError';
}
