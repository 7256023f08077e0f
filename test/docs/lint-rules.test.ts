import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../support/checkout.ts';

const { overrides }: { overrides: { includes: string[] }[] } = JSON.parse(
  readFileSync(join(root, 'biome.json'), 'utf8'),
);
const folders = overrides.flatMap(({ includes }) => includes);

test.each(folders)('the rules of the linter for %s are about files that exist', (folder) => {
  expect(globSync(folder, { cwd: root })).not.toEqual([]);
});

interface Diagnostic {
  location: { path: string; start: { line: number } };
}

// The linter's rule cannot be limited to what is exported.
test('every exported function says what it returns', () => {
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const options = ['--only=nursery/useExplicitType', '--reporter=json', '--max-diagnostics=none'];
  const { stdout } = spawnSync(
    process.execPath,
    [biome, 'lint', ...options, 'functions', 'lib', 'bin', 'test'],
    { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 },
  );
  const { diagnostics }: { diagnostics: Diagnostic[] } = JSON.parse(stdout);
  // The rule is in force: functions within others are free to leave their types out.
  expect(diagnostics.length).toBeGreaterThan(0);
  const lines = diagnostics.map(({ location: { path, start } }) => ({
    place: `${path}:${start.line}`,
    text: readFileSync(join(root, path), 'utf8').split('\n')[start.line - 1],
  }));
  expect(lines.filter(({ text }) => /^export (async )?function\b/.test(`${text}`))).toEqual([]);
});
