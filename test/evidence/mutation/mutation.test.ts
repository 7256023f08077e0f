import { globSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { root } from '../../support/checkout.ts';
import { unitTests } from './stryker.ts';
import { suites } from './suites.ts';
import survivors from './survivors.json' with { type: 'json' };

const files = (patterns: string[]) => globSync(patterns, { cwd: root });

test('each suite that mutation testing runs exists', () => {
  for (const name of new Set(suites.flatMap(([, names]) => names))) {
    expect([name, files([`test/${name}*.test.ts`]).length > 0]).toEqual([name, true]);
  }
  for (const pattern of unitTests) {
    expect(files([pattern])).not.toEqual([]);
  }
});

test('each file with survivors exists', () => {
  for (const file of Object.keys(survivors)) {
    expect(files([file])).toEqual([file]);
  }
});

test('mutation testing knows a suite for each file, and a file for each of its patterns', () => {
  const functions = files(['functions/**/*.ts']);
  for (const [pattern] of suites) {
    expect(functions.filter((file) => pattern.test(file))).not.toEqual([]);
  }
});
