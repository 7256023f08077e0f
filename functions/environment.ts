/**
 * Returns an environment variable that the stack sets. Call it while Lambda initializes, so that a
 * missing one does not wait for a request. Throws if it is missing.
 */
export function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}
