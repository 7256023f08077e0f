/**
 * Returns an environment variable that the stack sets. Throws if it is missing. Call it while
 * Lambda initializes, so that this shows before the first request.
 */
export function requiredVariable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}
