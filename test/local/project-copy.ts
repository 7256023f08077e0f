import { cpSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../emulator/fixture.ts';

export const project = join(import.meta.dirname, '..', '..');

/**
 * Copies the project into a folder that is gone when the test file is done, with a cache of its
 * own.
 */
export function copyOfProject(): string {
  const root = temporaryFolder();
  const files = ['bin', 'lib', 'functions', 'cdk.json', 'package.json', 'tsconfig.json'];
  for (const name of [...files, 'node_modules/.package-lock.json'])
    cpSync(join(project, name), join(root, name), { recursive: true });
  const packages = readdirSync(join(project, 'node_modules'));
  for (const name of packages.filter((name) => name !== '.cache' && name !== '.package-lock.json'))
    symlinkSync(join(project, 'node_modules', name), join(root, 'node_modules', name));
  return root;
}
