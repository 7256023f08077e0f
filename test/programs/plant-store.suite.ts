import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { startProgram } from '../support/program.ts';

const settings = { 'plant-store:throttle-rate': 'much', 'plant-store:colour': 'green' };
const withoutBundles = { 'aws:cdk:bundling-stacks': [] };

// A single process, because CDK takes a second to load. The CDK CLI runs the program with these variables.
const source = `
  process.env.CDK_CONTEXT_JSON = '${JSON.stringify(settings)}';
  await import('./bin/plant-store.ts');
  console.log(process.exitCode);
  process.exitCode = 0;
  process.env.CDK_CONTEXT_JSON = '${JSON.stringify(withoutBundles)}';
  process.env.CDK_OUTDIR = process.env.FOLDER;
  await import('./bin/plant-store.ts?again');`;

test('invalid settings exit with 1 and one line with every error, and a cdk-nag finding fails the synthesis', async () => {
  const preload = ['--import', join(root, '.ci', 'templates', 'finding.mjs')];
  // CDK's own rules take three seconds.
  const env = { ...process.env, CDK_VALIDATION: 'false', FOLDER: temporaryFolder() };
  const args = [...preload, '--input-type=module', '--eval', source];
  const { code, stdout, stderr } = await startProgram(process.execPath, args, { env }).ended();
  expect(stdout).toBe('1\n');
  const [line, ...finding] = stderr.split('\n');
  expect(line).toMatch(
    /^Bad settings: plant-store:throttle-rate must be an integer from 1 to 10000, not "much"; plant-store:colour is unknown .*$/,
  );
  expect(finding.join('\n')).toContain('AwsSolutions::AwsSolutions-S1');
  expect(code).not.toBe(0);
});
