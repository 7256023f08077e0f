import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

const cleanups: (() => unknown)[] = [];

/** Calls the cleanups in reverse order. After an error, the others follow. */
async function cleanUp(left = cleanups.splice(0)): Promise<void> {
  const cleanup = left.pop();
  if (cleanup) {
    try {
      await cleanup();
    } finally {
      await cleanUp(left);
    }
  }
}
afterAll(() => cleanUp());
// Jest calls no hooks if `-t` matches no test. Then our test environment calls this one: with a
// server left open, Jest would not exit.
Object.assign(globalThis, { cleanUp });

/** Calls the function at the end of the test file, in reverse order of registration. */
export const finallyDo = (cleanup: () => unknown) => cleanups.push(cleanup);

/** Creates a folder that is removed at the end of the test file. */
export function temporaryFolder(): string {
  // On macOS, the folder for temporary files is a link, which Node resolves in file names.
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'plant-store-test-'));
  finallyDo(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
