import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { root } from '../support/project.ts';

/** Returns the files that `cdk watch` observes. Ends it before it deploys. */
async function observedFiles(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  // No credentials of yours, so that nothing could be deployed.
  const env = { PATH: process.env.PATH, HOME: folder };
  const child = spawn(
    process.execPath,
    [join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk'), 'watch', '--output', folder],
    { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env },
  );
  const ended = once(child, 'close');
  const lines: string[] = [];
  try {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream).on('line', (line) => {
        lines.push(line);
        if (line.includes("Triggering initial 'cdk deploy'")) resolve();
      });
    void ended.then(() => reject(new Error(`cdk watch ended:\n${lines.join('\n')}`)));
    await eventually('the files that cdk watch observes', promise, {
      seconds: 120,
      instead: () => lines.join('\n'),
    });
  } finally {
    if (child.pid && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
  return lines.flatMap((line) => /observing the file '(.+)'/.exec(line)?.[1] ?? []);
}

test('cdk watch observes the sources of the template and the bundles alone', async () => {
  const files = await observedFiles();
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
  const made =
    /^(cdk\.json|bin\/plant-store\.ts|functions\/.+|lib\/[\w-]+\.ts|lib\/constructs\/.+)$/;
  expect(files.filter((file) => !made.test(file))).toEqual([]);
});
