import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { copyProject, root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { startProgram } from '../support/program.ts';

/** Runs the CDK app as the CDK CLI does. */
function synthesize(context: object, options: string[] = [], cwd = root) {
  const env = {
    CDK_OUTDIR: temporaryFolder(),
    CDK_CONTEXT_JSON: JSON.stringify({ 'aws:cdk:bundling-stacks': [], ...context }),
    // CDK's own rules take three seconds.
    CDK_VALIDATION: 'false',
  };
  const args = [...options, 'bin/plant-store.ts'];
  return startProgram(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
  }).ended();
}

test('invalid settings exit with 1 and one line with every error', async () => {
  const settings = { 'plant-store:throttle-rate': 'much', 'plant-store:colour': 'green' };
  expect(await synthesize(settings)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^Bad settings: plant-store:throttle-rate must be an integer from 1 to 10000, not "much"; plant-store:colour is unknown .*\n$/,
    ),
  });
});

test('a cdk-nag finding fails the synthesis and is printed', async () => {
  const preload = ['--import', pathToFileURL(join(root, '.ci', 'templates', 'finding.mjs')).href];
  const { code, stderr } = await synthesize({}, preload);
  expect(stderr).toContain('AwsSolutions::AwsSolutions-S1');
  expect(code).not.toBe(0);
});

test('lock files of other package managers change nothing', async () => {
  const folder = temporaryFolder();
  copyProject(folder);
  for (const name of ['bun.lock', 'bun.lockb', 'pnpm-lock.yaml', 'yarn.lock']) {
    writeFileSync(join(folder, name), '');
  }
  expect(await synthesize({}, [], folder)).toMatchObject({ code: 0 });
});
