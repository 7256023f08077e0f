/**
 * The value of an environment variable that the stack sets. Throws while Lambda initializes, not at
 * the first request, where it is missing.
 */
export function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}
