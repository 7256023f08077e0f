import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPage } from '../../docs/page.ts';
import { root } from '../../support/checkout.ts';
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
