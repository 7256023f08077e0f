import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  const errors: unknown[] = [];
  for (const cleanup of cleanups.reverse()) {
    try {
      await cleanup();
    } catch (error) {
      // The other cleanups follow: with a server left open, Jest would not exit.
      errors.push(error);
    }
  }
  if (errors.length > 0) {
    throw errors[0];
  }
});

/** Calls the function at the end of the test file, in reverse order of registration. */
export const finallyDo = (cleanup: () => unknown) => cleanups.push(cleanup);

/** Creates a folder that is removed at the end of the test file. */
export function temporaryFolder(): string {
  // On macOS, the folder for temporary files is a link, which Node resolves in file names.
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'plant-store-test-'));
  finallyDo(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
