import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

/** The project's folder. */
export const root = join(import.meta.dirname, '..', '..');

/** Loads packages that only CI installs. They have a lock file of their own. */
export const requireOfCi = createRequire(join(root, '.ci', 'package.json'));

/** What a copy does without, or has of its own. */
const left = ['.git', '.plant-store', 'cdk.out', 'node_modules'];

/** Copies the project into a folder. The copy shares its packages, and has its own cache. */
export function copyProject(to: string): void {
  const filter = (path: string) => !left.includes(basename(path));
  for (const name of readdirSync(root).filter(filter)) {
    cpSync(join(root, name), join(to, name), { recursive: true, filter });
  }
  mkdirSync(join(to, 'node_modules'), { recursive: true });
  const packages = readdirSync(join(root, 'node_modules'));
  // Windows allows everybody a junction, and a link not.
  for (const name of packages.filter(
    (name) => name !== '.cache' && name !== '.package-lock.json',
  )) {
    symlinkSync(join(root, 'node_modules', name), join(to, 'node_modules', name), 'junction');
  }
  const lock = (folder: string) => join(folder, 'node_modules', '.package-lock.json');
  cpSync(lock(root), lock(to));
}
