import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sbom } from '../../lib/sbom.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

interface LockedPackage {
  version?: string;
  integrity?: string;
  resolved?: string;
  license?: string;
  inBundle?: boolean;
  hasInstallScript?: boolean;
}
const lockedIn = (folder: string): [string, LockedPackage][] =>
  Object.entries<LockedPackage>(read(join(folder, 'package-lock.json')).packages).filter(
    ([path]) => path !== '',
  );

/** Licences that ask for no more than to be named. */
const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];
/** Licences that only tools have, which are not deployed. */
const allowedInTools = [...allowed, 'BlueOak-1.0.0', 'CC-BY-4.0'];

const isAllowed = (license: string, list: string[]) =>
  license.split(' OR ').some((one) => list.includes(one.replace(/[()]/g, '')));

test('the bill of materials has version, licence and digest of each bundled package', () => {
  const { components } = sbom();
  const names = components.map(({ group, name }) => (group ? `${group}/${name}` : name));
  // It has what the functions import, and nothing that only the stack or a test uses.
  const direct = Object.keys(read('package.json').dependencies);
  expect(names).toEqual(expect.arrayContaining(direct));
  for (const tool of ['aws-cdk-lib', 'esbuild', 'commander', 'dynalite'])
    expect(names).not.toContain(tool);
  for (const { purl, name, version, licenses, hashes } of components) {
    expect(purl).toMatch(/^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+$/);
    expect(purl.endsWith(`${name}@${version}`)).toBe(true);
    expect([purl, isAllowed(licenses[0].expression, allowed)]).toEqual([purl, true]);
    expect(hashes[0].content).toMatch(/^[0-9a-f]{128}$/);
  }
});

test.each(['.', '.ci', '.ci/client-types', 'test/bench/baselines'])(
  'package-lock.json in %s has a digest of every package, and no host',
  (folder) => {
    for (const [path, { integrity, resolved, inBundle }] of lockedIn(folder)) {
      // A bundled package is in the archive of another, whose digest covers it.
      expect([path, inBundle || /^sha512-[\w+/]{86}==$/.test(`${integrity}`)]).toEqual([
        path,
        true,
      ]);
      expect([path, resolved]).toEqual([path, undefined]);
    }
  },
);

test('every package has a licence that is allowed', () => {
  for (const [path, { license }] of lockedIn('.'))
    expect([path, license, isAllowed(`${license}`, allowedInTools)]).toEqual([path, license, true]);
});

test('the packages that run a script when they are installed are those of package.json', () => {
  const scripted = lockedIn('.').flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript ? path.slice('node_modules/'.length) : [],
  );
  expect(scripted).toEqual(Object.keys(read('package.json').allowScripts));
});
