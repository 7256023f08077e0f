import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import differences from '../sam/differences.json' with { type: 'json' };

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'sam-local.md'), 'utf8');

test('the page on sam local names every difference that its test expects', () => {
  expect(
    differences.map(({ difference }) => `| ${difference} |`).filter((row) => !page.includes(row)),
  ).toEqual([]);
});
