import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPage } from '../../docs/page.ts';
import { root } from '../../support/checkout.ts';
import { temporaryFolder } from '../../support/cleanup.ts';

const folder = temporaryFolder();
const cdk = join(root, 'node_modules', '.bin', 'cdk');

test('the telemetry of the CDK CLI is off', () => {
  const args = ['cli-telemetry', '--status'];
  // A home of its own, without a developer's settings.
  const options = { cwd: root, env: { PATH: process.env.PATH, HOME: folder }, timeout: 120_000 };
  const { stdout, stderr } = spawnSync(cdk, args, { ...options, encoding: 'utf8' });
  // In CI, the line is on stdout.
  expect(stdout + stderr).toContain('CLI Telemetry is disabled');
});

test('cdk bootstrap without credentials prints the error in the README', () => {
  const [, quoted = ''] = /If CDK says `([^`]+)`/.exec(readPage('README.md')) ?? [];
  const env = { PATH: process.env.PATH, HOME: folder, AWS_EC2_METADATA_DISABLED: 'true' };
  const args = ['bootstrap', '--output', join(folder, 'bootstrap')];
  const options = { cwd: root, env, stdio: 'pipe', timeout: 120_000 } as const;
  expect(() => execFileSync(cdk, args, options)).toThrow(quoted || 'the error in the README');
});
