import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPage } from '../../docs/page.ts';
import { copyProduct, root } from '../../support/checkout.ts';
import { temporaryFolder } from '../../support/cleanup.ts';

/** Runs the CDK CLI without a developer's settings and credentials. */
function runCdk(...args: string[]) {
  const folder = temporaryFolder();
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules', '.bin', 'cdk'), args, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: folder, AWS_EC2_METADATA_DISABLED: 'true' },
    encoding: 'utf8',
  });
  // In CI, more of it is on stdout.
  return { status, output: stdout + stderr };
}

test('the telemetry of the CDK CLI is off', () => {
  expect(runCdk('cli-telemetry', '--status').output).toContain('CLI Telemetry is disabled');
});

test('cdk bootstrap without credentials prints the error in the README', () => {
  const [, quoted = ''] = /If CDK says `([^`]+)`/.exec(readPage('README.md')) ?? [];
  expect(quoted).not.toBe('');
  const output = expect.stringContaining(quoted);
  expect(runCdk('bootstrap', '--output', temporaryFolder())).toEqual({ status: 1, output });
});

test('another folder and umask give the same template and the same files of functions', () => {
  const copy = join(temporaryFolder(), 'a b', 'p#1');
  copyProduct(copy);
  // esbuild reads it.
  copyFileSync(join(root, 'tsconfig.json'), join(copy, 'tsconfig.json'));
  const [one, other] = [
    { folder: root, umask: '022' },
    { folder: copy, umask: '077' },
  ].map(({ folder, umask }) => {
    const output = join(temporaryFolder(), 'cdk.out');
    const synth = `umask ${umask} && node_modules/.bin/cdk synth --quiet --output "${output}"`;
    const { status, stderr } = spawnSync('sh', ['-c', synth], { cwd: folder, encoding: 'utf8' });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const files = globSync(['*.template.json', 'asset.*/*'], { cwd: output }).sort();
    return files.map((file) => {
      const path = join(output, file);
      const content = createHash('sha256').update(readFileSync(path)).digest('hex');
      const mode = file.startsWith('asset.') && (statSync(path).mode & 0o777).toString(8);
      return { file, content, mode };
    });
  });
  expect(other).toEqual(one);
  expect(one?.map(({ mode }) => mode)).toEqual([false, ...Array(8).fill('644')]);
});
