import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../support/project.ts';

const written = () => statSync(join(root, 'docs', 'openapi.json')).mtimeMs;

test.each([
  ['--help', 0],
  ['--hlep', 1],
  ['docs/api.json', 1],
])('bin/openapi.ts %s writes nothing and exits with %i', (argument, exitCode) => {
  const before = written();
  const { status } = spawnSync(process.execPath, ['bin/openapi.ts', argument], {
    cwd: root,
    timeout: 30_000,
  });
  expect(status).toBe(exitCode);
  expect(written()).toBe(before);
});
