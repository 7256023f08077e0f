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
