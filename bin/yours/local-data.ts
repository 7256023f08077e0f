import { existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { filesOf } from './git.ts';
import type { Names } from './names.ts';
import { renamedPath } from './rename.ts';

/** Returns what is named like the store in a folder, and is not known to git. */
export const localData = (folder: string, given: Names): string[] =>
  readdirSync(folder).filter(
    (name) => renamedPath(name, given) !== name && filesOf(folder, name).length === 0,
  );

/**
 * Moves local data, which is named like the store and which git would no longer ignore. Folders in
 * it are named like the store, too.
 */
export function moveLocalData(folder: string, given: Names): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const target = join(folder, renamedPath(name, given));
    if (target !== path && !existsSync(target)) {
      renameSync(path, target);
      if (statSync(target).isDirectory()) {
        moveLocalData(target, given);
      }
    }
  }
}
