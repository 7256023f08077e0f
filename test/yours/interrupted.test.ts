import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { git } from '../../bin/yours/git.ts';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { testOnPosix } from '../support/posix.ts';

/** A change that gets a signal, as a long one does while it runs other programs. */
const change = `
  const { changeOrRestore, heedSignals } = await import(process.argv[1]);
  const { writeFileSync } = await import('node:fs');
  const [, , folder, signal] = process.argv;
  await changeOrRestore(folder, async () => {
    writeFileSync(folder + '/file', 'changed');
    process.kill(process.pid, signal);
    await heedSignals();
    writeFileSync(folder + '/another', '');
  });
`;

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

  const module = join(root, 'bin', 'yours', 'git.ts');
  const args = ['--input-type=module', '--eval', change, module, folder, signal];
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
