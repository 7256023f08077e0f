import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { names } from '../../bin/rename.ts';
import { root } from '../support/project.ts';
import { readPage } from './page.ts';

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  // JSON cannot break a text, and the other files are generated.
  .filter(
    (file) =>
      !/(\.json|^docs\/client-types\.ts|^\.ci\/requirements\/.*\.txt)$/.test(file) &&
      existsSync(join(root, file)),
  );

/** Returns whether a line is a row of a table, or has no place to be broken at. */
function isUnbreakable(line: string): boolean {
  const [first = '', ...rest] = line
    .replaceAll(/\[[^\]]*\]\([^)]*\)/g, 'link')
    .trim()
    .split(' ');
  const isRegularExpression = /^\/[^/*]/.test(first);
  const isPinnedAction = line.includes('- uses: ');
  return first === '|' || isRegularExpression || isPinnedAction || rest.length < 3;
}

const [one, many] = names.map((name) => name.replace(/[A-Z]/g, '[ _-]?$&'));
const noun = new RegExp(`(${many})|${one}`, 'gi');
/** Returns a line's columns, with the noun as short as in the first store, to spare the breaks. */
const columnsOf = (line: string) =>
  [...line.replaceAll(noun, (found, plural) => found.slice(0, plural ? 6 : 5))].length;

test('no line has more than 100 columns, unless it cannot be broken', () => {
  const places = files.flatMap((file) =>
    readPage(file)
      .split('\n')
      .flatMap((line, index) =>
        columnsOf(line) > 100 && !isUnbreakable(line) ? [`${file}:${index + 1}`] : [],
      ),
  );
  expect(places).toEqual([]);
});
