import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

/** The project's folder. */
export const root = join(import.meta.dirname, '..', '..');

/** Loads packages that only CI installs, from their own lock file. */
export const requireOfCi = createRequire(join(root, '.ci', 'package.json'));

/** The folders with the project's files. Others may hold packages, output or another checkout. */
const rooms = ['.ci', '.github', 'bin', 'docs', 'functions', 'lib', 'test'];

/** Copies the project into a folder. The copy shares the packages and Node's cached code. */
export function copyProject(to: string): void {
  const filter = (path: string) => basename(path) !== 'node_modules';
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (entry.isFile() || rooms.includes(entry.name)) {
      cpSync(join(root, entry.name), join(to, entry.name), { recursive: true, filter });
    }
  }
  mkdirSync(join(to, 'node_modules'), { recursive: true });
  const packages = readdirSync(join(root, 'node_modules'));
  // On Windows, a junction needs no privilege, but a symbolic link does.
  for (const name of packages.filter((name) => name !== '.package-lock.json')) {
    symlinkSync(join(root, 'node_modules', name), join(to, 'node_modules', name), 'junction');
  }
  const lock = (folder: string) => join(folder, 'node_modules', '.package-lock.json');
  cpSync(lock(root), lock(to));
}
