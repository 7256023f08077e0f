import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { git } from '../../bin/yours/git.ts';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { testOnPosix } from '../support/posix.ts';

const change = join(root, 'test', 'yours', 'interrupted', 'change.ts');

testOnPosix('a process cannot send itself signals there').each<NodeJS.Signals>([
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
])('a change that %s interrupts leaves everything as it was before', (signal) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), 'before');
  git(folder, 'init', '-q');
  git(folder, 'add', '--all');
  const somebody = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  git(folder, ...somebody, 'commit', '-qm', 'Before');

  const args = [change, folder, signal];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr:
      'error: Interrupted. The files are as they were before. ' +
      'If packages are missing, run "npm ci".\n',
  });
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('before');
  expect(git(folder, 'status', '--porcelain')).toBe('');
});
