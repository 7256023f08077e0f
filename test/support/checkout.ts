import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The project's folder. */
export const root = join(import.meta.dirname, '..', '..');

/** Loads packages that only CI installs, from their own lock file. */
export const requireOfCi = createRequire(join(root, '.ci', 'package.json'));

/** What `npm start`, `npm run sam` and `npx cdk` need of the project. */
const product = [
  'bin',
  'functions',
  'lib',
  'docs/openapi.json',
  'cdk.json',
  'package-lock.json',
  'package.json',
];

/** Copies the product into a folder. The copy shares the packages and Node's cached code. */
export function copyProduct(to: string): void {
  for (const path of product) {
    cpSync(join(root, path), join(to, path), { recursive: true });
  }
  linkPackages(to);
}

/** Links the packages that package.json names. These find others where they really lie. */
export function linkPackages(to: string): void {
  const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { dependencies, devDependencies, optionalDependencies } = packageJson;
  const packages = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  const entries = ['.bin', '.cache', ...packages].map((name) => join('node_modules', name));
  // Optional packages are for other systems.
  for (const entry of entries.filter((entry) => existsSync(join(root, entry)))) {
    mkdirSync(join(to, dirname(entry)), { recursive: true });
    // On Windows, a junction needs no privilege, but a symbolic link does.
    symlinkSync(join(root, entry), join(to, entry), 'junction');
  }
}
