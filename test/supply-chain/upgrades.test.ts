import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { assemble } from '../../lib/assembly/assembly.ts';
import { tableOf } from '../docs/page.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { root } from '../support/project.ts';
import { read } from './licences.ts';

interface Locked {
  version: string;
  optionalDependencies?: Record<string, string>;
}
const locked = new Map(Object.entries<Locked>(read('package-lock.json').packages));

const pins = tableOf('docs/make-it-yours.md', 'package')
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

test('the CDK command line reads the assemblies of aws-cdk-lib', async () => {
  const app = join(temporaryFolder(), 'assembly');
  await assemble(app, {});
  const cdk = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  const { status, stderr } = spawnSync(process.execPath, [cdk, 'list', '--app', app], {
    cwd: temporaryFolder(),
    encoding: 'utf8',
    timeout: 60_000,
  });
  const remedy = 'Upgrade aws-cdk together with aws-cdk-lib.';
  expect({ status, remedy, stderr: status === 0 ? '' : stderr }).toEqual({
    status: 0,
    remedy,
    stderr: '',
  });
});
