import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { App } from 'aws-cdk-lib';
import { Node } from 'constructs';
import cdk from '../../cdk.json' with { type: 'json' };
import { temporaryFolder } from '../support/cleanup.ts';

/** A working folder with lock files of other package managers. */
const folder = temporaryFolder();
for (const name of ['bun.lock', 'bun.lockb', 'pnpm-lock.yaml', 'yarn.lock']) {
  writeFileSync(join(folder, name), '');
}

let runs = 0;
/** Runs the CDK app, as the CDK CLI does in a process. Returns its errors. */
async function synthesize(context: object): Promise<string[]> {
  const { env } = process;
  const workingDirectory = process.cwd();
  const atExit = jest.spyOn(process, 'once').mockReturnThis();
  const printed = jest.spyOn(console, 'error').mockReturnValue();
  const thrown: unknown[] = [];
  try {
    process.chdir(folder);
    process.env = {
      ...env,
      CDK_OUTDIR: join(folder, 'cdk.out'),
      CDK_CONTEXT_JSON: JSON.stringify({
        'aws:cdk:bundling-stacks': [],
        'aws:cdk:disable-stack-trace': true,
        ...context,
      }),
      // CDK's own rules take three seconds.
      CDK_VALIDATION: 'false',
    };
    runs += 1;
    await import(`../../bin/plant-store.ts?${runs}`);
    const [[event, synthesize] = []] = atExit.mock.calls;
    expect(event).toBe('beforeExit');
    synthesize?.();
  } catch (error) {
    thrown.push(error);
  }
  const errors = [...printed.mock.calls.flat(), ...thrown].map(String);
  printed.mockRestore();
  atExit.mockRestore();
  process.chdir(workingDirectory);
  process.env = env;
  return errors;
}

test('invalid settings exit with 1 and one line with every error', async () => {
  const settings = { 'plant-store:throttle-rate': 'much', 'plant-store:colour': 'green' };
  expect(await synthesize(settings)).toEqual([
    expect.stringMatching(
      /^Bad settings: plant-store:throttle-rate must be an integer from 1 to 10000, not "much"; plant-store:colour is unknown .*$/,
    ),
  ]);
  expect(process.exitCode).toBe(1);
  process.exitCode = undefined;
});

test('an unexpected error is thrown', async () => {
  const readContext = jest.spyOn(Node.prototype, 'getAllContext').mockImplementation(() => {
    throw new TypeError('a bug');
  });
  expect(await synthesize({})).toEqual(['TypeError: a bug']);
  readContext.mockRestore();
});

test('settings in cdk.json itself take effect, and a cdk-nag finding beside the stack, which has none, fails the synthesis and is explained', async () => {
  const context: Record<string, unknown> = cdk.context;
  context['plant-store:throttle-rate'] = 7;
  const { synth } = App.prototype;
  await import('../../.ci/templates/finding.mjs');
  const errors = await synthesize(context);
  App.prototype.synth = synth;
  delete context['plant-store:throttle-rate'];
  const template = readFileSync(join(folder, 'cdk.out', 'PlantStore.template.json'), 'utf8');
  expect(template).toContain('"ThrottlingRateLimit": 7\n');
  expect(errors).toEqual([
    expect.stringContaining(
      'The bucket should have server access logging enabled to provide detailed records',
    ),
    expect.stringContaining('Validation failed'),
  ]);
  expect(errors[0]?.match(/AwsSolutions-\w+/g)).toEqual(['AwsSolutions-S1', 'AwsSolutions-S10']);
});
