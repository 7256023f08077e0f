import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPackage } from '../../bin/yours/origin.ts';
import { root } from '../support/checkout.ts';
import { readPage } from './page.ts';

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  // JSON cannot break a text, pictures have no lines, and the other files are generated.
  .filter(
    (file) =>
      !/(\.json|\.webp|^\.ci\/requirements\/.*\.txt)$/.test(file) && existsSync(join(root, file)),
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

/** The names of a copy, which may be longer than those that the lines were written for. */
const { plural, name, examples = [], tag } = readPackage(root).yours ?? {};
const given = [plural, name, ...examples, tag].filter((one) => one !== undefined);
/** How long the names of the first store are. */
const lengths = [6, 5, 8, 4, 5, 4, 6];
/** Returns a line's columns, with names as short as in the first store, to spare the breaks. */
const columnsOf = (line: string) => {
  const shortened = given.reduce((text, one, i) => {
    const pattern = new RegExp(one.split(/[ _-]/).join('[ _-]?'), 'gi');
    return text.replaceAll(pattern, (found) => found.slice(0, lengths[i]));
  }, line);
  // An article may have got a letter more.
  const articles = given.length > 0 ? shortened.replaceAll(/\b([Aa])n /g, '$1 ') : shortened;
  return [...articles].length;
};

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
