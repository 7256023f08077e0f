import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './checkout.ts';

/** Loads packages that only CI installs. They have a lock file of their own. */
export const requireOfCi = createRequire(join(root, '.ci', 'package.json'));

/** Returns what to say of a package that is not installed; undefined if it is. */
export function lackOfPackage(name: string): string | undefined {
  try {
    requireOfCi.resolve(name);
    return undefined;
  } catch {
    return `package ${name} ("npm ci --prefix .ci" installs it)`;
  }
}

/** Says that tests are left out because something is missing. Throws in CI, which needs all. */
export function leaveOut(what: string, lack: string): void {
  const left = `The tests leave out ${what}, because there is no ${lack}.`;
  if (process.env.ALL_ENGINES) {
    throw new Error(left);
  }
  process.stderr.write(`${left}\n`);
}
