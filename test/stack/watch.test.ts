import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { startProgram } from '../support/program.ts';

test('cdk watch observes the sources of the template and the bundles alone', async () => {
  const folder = temporaryFolder();
  const cdk = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  // No credentials of yours, so that nothing could be deployed.
  const env = { PATH: process.env.PATH, HOME: folder };
  const program = startProgram(process.execPath, [cdk, 'watch', '--output', folder], { env });
  await program.line(/Triggering initial 'cdk deploy'/);
  program.child.kill('SIGKILL');
  await program.ended();
  const files = program.lines.flatMap((line) => /observing the file '(.+)'/.exec(line)?.[1] ?? []);
  const made =
    /^(cdk\.json|bin\/plant-store\.ts|functions\/.+|lib\/[\w-]+\.ts|lib\/constructs\/.+)$/;
  expect(files.filter((file) => !made.test(file))).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining([
      'bin/plant-store.ts',
      'cdk.json',
      'functions/create-plant.ts',
      'functions/http/problem.ts',
      'lib/constructs/api.ts',
      'lib/settings.ts',
    ]),
  );
});
