import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../../support/project.ts';
import { unitTests } from './stryker.ts';
import { suites } from './suites.ts';

const files = (patterns: string[]) => globSync(patterns, { cwd: root });

test('each suite that mutation testing runs exists', () => {
  for (const name of new Set(suites.flatMap(([, names]) => names)))
    expect([name, files([`test/${name}*.test.ts`]).length > 0]).toEqual([name, true]);
  for (const pattern of unitTests) expect(files([pattern])).not.toEqual([]);
});

test('mutation testing knows a suite for each file, and a file for each of its patterns', () => {
  const functions = files(['functions/**/*.ts']);
  for (const [pattern] of suites)
    expect(functions.filter((file) => pattern.test(file))).not.toEqual([]);
});

test('npm run mutation refuses a file that does not exist', () => {
  const program = [join(import.meta.dirname, 'mutation.ts'), 'nosuch.ts'];
  expect(spawnSync(process.execPath, program, { encoding: 'utf8' })).toMatchObject({
    status: 1,
    stdout: '',
    stderr: 'error: No file matches nosuch.ts.\n',
  });
});
