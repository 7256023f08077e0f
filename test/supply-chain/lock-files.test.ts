import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

interface Locked {
  integrity?: string;
  resolved?: string;
  license?: string;
  hasInstallScript?: true;
  link?: true;
  inBundle?: true;
}

const root = join(import.meta.dirname, '..', '..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));
const packagesOf = (lock: string) =>
  Object.entries(read(lock).packages as Record<string, Locked>).filter(([path]) => path !== '');
const pathsOf = (packages: [string, Locked][]) => packages.map(([path]) => path);

const lockFiles = globSync('{.,.ci,.ci/*,test/**}/package-lock.json', {
  cwd: root,
  exclude: ['**/node_modules'],
});
describe.each(lockFiles)('%s', (lock) => {
  const packages = packagesOf(lock);

  test('has a SHA-512 of every package, so that a registry cannot exchange one', () => {
    expect(packages.length).toBeGreaterThan(10);
    // A bundled package is part of the one that bundles it.
    const unsure = packages.filter(
      ([, { integrity, inBundle }]) => !inBundle && !/^sha512-.{86}==$/.test(integrity ?? ''),
    );
    expect(pathsOf(unsure)).toEqual([]);
  });

  test('names no host, so that npm uses the registry that it is set to', () => {
    expect(pathsOf(packages.filter(([, { resolved, link }]) => resolved || link))).toEqual([]);
  });
});

const packages = packagesOf('package-lock.json');

test('only packages that package.json allows run a script when they are installed', () => {
  const withScript = packages
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.split('node_modules/').at(-1));
  const allowed = Object.keys(read('package.json').allowScripts);
  expect(withScript.filter((name) => !allowed.includes(`${name}`))).toEqual([]);
});

/** They ask for a notice at most. */
const allowedLicences = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-4.0',
  'ISC',
  'MIT',
];

test('every package has a licence of the list', () => {
  const others = packages.filter(([, { license = '' }]) => {
    const choices = license.replace(/^\(|\)$/g, '').split(' OR ');
    return !choices.some((choice) =>
      choice.split(' AND ').every((one) => allowedLicences.includes(one)),
    );
  });
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});
