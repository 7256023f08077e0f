import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../support/cleanup.ts';
import { jest } from '../../support/jest/arguments.ts';
import { copyProject } from '../../support/project.ts';

test('without the evidence, its pages and its scripts, types, lint and tests pass', () => {
  const cwd = join(temporaryFolder(), 'project');
  copyProject(cwd);
  const git = (...args: string[]) => execFileSync('git', args, { cwd, stdio: 'ignore' });
  git('init');
  git('add', '--all');
  git('-c', 'user.name=x', '-c', 'user.email=x', 'commit', '--message=x');
  git('rm', '-r', 'test/evidence', 'docs/proof.*', 'docs/speed.*', 'docs/mutation.json');
  const scripts = ['proof', 'mutation', 'bench'].map((name) => `scripts.${name}`);
  execFileSync('npm', ['pkg', 'delete', ...scripts], { cwd });

  const { PROOF, PROOF_ROWS, REPLAY, ALL_ENGINES, ...env } = process.env;
  for (const args of [
    ['node_modules/typescript/bin/tsc'],
    ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '--colors=off'],
    // Two suites of this pattern see that the packages of a copy are links.
    [...jest, '--silent', '--testPathIgnorePatterns=/(node_modules|test/assembly)/|/sbom\\.'],
  ]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd,
      env,
      encoding: 'utf8',
    });
    expect({ args, status, output: status === 0 ? '' : stdout + stderr }).toEqual({
      args,
      status: 0,
      output: '',
    });
  }
});
