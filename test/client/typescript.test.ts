import { execFileSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPage } from '../docs/page.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { root } from '../support/project.ts';

test('the client and its example compile in a new project of TypeScript', () => {
  const project = temporaryFolder();
  const tsc = (...args: string[]) => {
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const options = { cwd: project, encoding: 'utf8', stdio: 'pipe' } as const;
    return execFileSync(process.execPath, [compiler, ...args], options);
  };
  tsc('--init');
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  for (const file of ['client.ts', 'client-types.ts'])
    copyFileSync(join(root, 'docs', file), join(project, file));
  const [, example = ''] = /^```ts\n(.*?)^```/ms.exec(readPage('docs/clients.md')) ?? [];
  writeFileSync(join(project, 'main.ts'), example);
  expect(tsc('--noEmit')).toBe('');
});
