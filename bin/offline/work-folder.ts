import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';

/** Among the project's own files, which every kind of Docker may mount. */
const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'plant-store-work');

/** A folder for what a program writes while it runs. */
export interface WorkFolder {
  path: string;
  /** Removes the folder. */
  stop(): Promise<void>;
}

/** Makes a folder for this process, and removes those that killed processes left. */
export async function openWorkFolder(): Promise<WorkFolder> {
  try {
    mkdirSync(cache, { recursive: true });
    await removeAbandoned();
    return await newFolder(mkdtempSync(join(cache, 'work-')));
  } catch {
    // The project may be read-only.
    return newFolder(mkdtempSync(join(tmpdir(), 'plant-store-')));
  }
}

/**
 * A folder is locked while its process runs. A process id would not tell, because processes of
 * other containers may use the same checkout.
 */
const lockOf = (folder: string, createIfMissing: boolean) =>
  new ClassicLevel(join(folder, 'lock'), { createIfMissing });

async function newFolder(folder: string): Promise<WorkFolder> {
  const lock = lockOf(folder, true);
  await lock.open();
  const path = join(folder, 'files');
  mkdirSync(path);
  return {
    path,
    stop: () => remove(folder, lock),
  };
}

async function removeAbandoned(): Promise<void> {
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name);
    const lock = lockOf(folder, false);
    try {
      await lock.open();
    } catch {
      // It is in use, or being made.
      continue;
    }
    await remove(folder, lock);
  }
}

async function remove(folder: string, lock: ClassicLevel): Promise<void> {
  // A thread may still write into it, and another process that starts now may remove it too.
  const options = { recursive: true, force: true, maxRetries: 5 };
  // A folder that lost its lock first would stay if this process was killed in between.
  rmSync(join(folder, 'files'), options);
  await lock.close();
  rmSync(folder, options);
}
