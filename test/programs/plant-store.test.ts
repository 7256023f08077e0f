import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { runProcess } from './run.ts';

/** Runs the CDK app as the CDK's command line does. */
function synthesize(context: object, options: string[] = []) {
  const env = {
    CDK_OUTDIR: temporaryFolder(),
    CDK_CONTEXT_JSON: JSON.stringify({ 'aws:cdk:bundling-stacks': [], ...context }),
  };
  return runProcess(process.execPath, [...options, 'bin/plant-store.ts'], { cwd: root, env });
}

test('faulty settings exit with 1 and one line that names them all', async () => {
  const settings = { 'plant-store:throttle-rate': 'much', 'plant-store:colour': 'green' };
  expect(await synthesize(settings)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^Bad settings: plant-store:throttle-rate must be an integer from 1 to 10000, not "much"; plant-store:colour is unknown .*\n$/,
    ),
  });
});

test('a finding of cdk-nag fails the synthesis and is named', async () => {
  const preload = ['--import', join(root, '.ci', 'templates', 'finding.mjs')];
  const { code, stderr } = await synthesize({}, preload);
  expect(stderr).toContain('AwsSolutions::AwsSolutions-S1');
  expect(code).not.toBe(0);
});
