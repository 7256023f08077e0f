import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from './checkout.ts';

/** Returns the project's files that these files load, with themselves. Types load nothing. */
export function findLoaded(files: string[]): string[] {
  const loaded = new Set(files);
  for (const file of loaded) {
    const code = readFileSync(join(root, file), 'utf8');
    const imports = code.matchAll(/^(?:im|ex)port (?!type )(?:[^;']* from )?'(\.[^']+)'/gm);
    for (const [, path = ''] of imports) {
      loaded.add(posix.join(posix.dirname(file), path));
    }
  }
  return [...loaded];
}
