import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../command-line/running.ts';

/** Among the project's own files, which every kind of Docker may mount. */
const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'plant-store-work');

/** Makes a folder that goes when this process exits, and removes those that killed ones left. */
export function workFolder(): string {
  let folder: string;
  try {
    mkdirSync(cache, { recursive: true });
    for (const name of readdirSync(cache))
      if (!isAlive(Number.parseInt(name, 10)))
        rmSync(join(cache, name), { recursive: true, force: true });
    folder = mkdtempSync(join(cache, `${process.pid}-`));
  } catch {
    // The project may be read-only.
    folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  }
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
